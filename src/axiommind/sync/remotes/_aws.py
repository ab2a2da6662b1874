"""Who signs in to a bucket, found as every program for S3 finds it: the URL says which profile, else the environment
holds a key, else the files of the AWS command line do, else the machine has a role.
"""

from __future__ import annotations

from collections.abc import Mapping
from configparser import ConfigParser, Error
from pathlib import Path
from typing import Any

from axiommind.errors import RemoteFailed, UsageError
from axiommind.sync.remotes import RemoteUrl

__all__ = ["config", "provider"]


def config(address: RemoteUrl) -> Any:
    """The settings of obstore: what the URL says, else the environment, else a profile of the AWS command line."""
    environ, profile = address.environ, _profile(address)
    found = {
        "endpoint": address.options.get("endpoint")
        or environ.get("AWS_ENDPOINT_URL_S3")
        or environ.get("AWS_ENDPOINT_URL")
        or profile.get("endpoint_url"),
        "region": address.options.get("region")
        or environ.get("AWS_REGION")
        or environ.get("AWS_DEFAULT_REGION")
        or profile.get("region")
        or "us-east-1",
    }
    keys = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
    source = profile if "profile" in address.options else {key: environ.get(key.upper(), "") for key in keys}
    if not source.get(keys[0]):
        source = profile
    found |= {key: source.get(key) for key in keys}
    return {key: value for key, value in found.items() if value}


def provider(address: RemoteUrl) -> Any:
    """Who signs in for a profile that holds no key itself (single sign-on, a role): boto3, where it is installed."""
    profile = _profile(address)
    if "profile" not in address.options and address.environ.get("AWS_ACCESS_KEY_ID"):
        return None
    if profile.get("aws_access_key_id") or not any(key.startswith(("sso_", "role_", "credential_")) for key in profile):
        return None
    try:
        from boto3.session import Session
        from obstore.auth.boto3 import Boto3CredentialProvider
    except ImportError as error:
        raise RemoteFailed(
            f"the profile {_profile_name(address)} signs in by a role or by single sign-on",
            hint='run: eval "$(aws configure export-credentials --format env)", or install boto3 beside axm',
        ) from error
    return Boto3CredentialProvider(Session(profile_name=_profile_name(address)))


def _profile_name(address: RemoteUrl) -> str:
    return address.options.get("profile") or address.environ.get("AWS_PROFILE") or "default"


def _profile(address: RemoteUrl) -> dict[str, str]:
    """What the files of the AWS command line say of a profile."""
    name, environ = _profile_name(address), address.environ
    found: dict[str, str] = {}
    for variable, file, section in (
        ("AWS_CONFIG_FILE", "config", name if name == "default" else f"profile {name}"),
        ("AWS_SHARED_CREDENTIALS_FILE", "credentials", name),
    ):
        found |= _section(Path(environ.get(variable) or Path("~/.aws") / file).expanduser(), section)
    if not found and "profile" in address.options:
        raise UsageError(f"there is no profile {name!r} in ~/.aws", hint=f"run: aws configure --profile {name}")
    return found


def _section(path: Path, name: str) -> Mapping[str, str]:
    parser = ConfigParser(interpolation=None)
    try:
        parser.read(path, encoding="utf-8")
    except (Error, UnicodeDecodeError, OSError):
        return {}
    return dict(parser[name]) if parser.has_section(name) or name == parser.default_section else {}
