"""Sealing and signing: what every home does with PyNaCl, and nothing of our own.

XChaCha20-Poly1305 with random nonces for whatever is stored, Ed25519 for who wrote it, sealed boxes for a key that is
meant for one home, BLAKE2b with a key for names and for keys made of keys.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b
from typing import Any

from axiommind.errors import UsageError

__all__ = [
    "KEY_BYTES",
    "SIGNATURE_BYTES",
    "NotSealed",
    "box_for",
    "derived",
    "is_signed",
    "new_key",
    "open_box",
    "opened",
    "require",
    "sealed",
    "signature",
    "verify_key",
]

KEY_BYTES = 32
SIGNATURE_BYTES = 64
_NONCE = 24
_TAG = 16


class NotSealed(ValueError):
    """What was to be opened was sealed under another key, for another place, or was changed."""


def require() -> Any:
    """PyNaCl, or what to install."""
    try:
        import nacl.bindings as nacl
    except ImportError:
        from axiommind.distribution import extra_command

        raise UsageError("axm sync needs PyNaCl, which is not installed", hint=extra_command("sync")) from None
    return nacl


def new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def derived(key: bytes, *parts: str, size: int = KEY_BYTES) -> bytes:
    """A key, or a name, made of a key and words; without the key nobody can guess it."""
    text = "".join(f"{len(one)}:{one}" for one in parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size, key=key).digest()


def sealed(key: bytes, content: bytes, place: str) -> bytes:
    """Encrypted, and bound to the place where it is kept: anywhere else it does not open."""
    nonce = secrets.token_bytes(_NONCE)
    body: bytes = require().crypto_aead_xchacha20poly1305_ietf_encrypt(content, place.encode(), nonce, key)
    return nonce + body


def opened(key: bytes, content: bytes, place: str) -> bytes:
    """What was sealed under this key for this place; `NotSealed` for anything else."""
    if len(content) < _NONCE + _TAG:
        raise NotSealed("it is too short to be sealed")
    nacl = require()
    try:
        found: bytes = nacl.crypto_aead_xchacha20poly1305_ietf_decrypt(
            content[_NONCE:], place.encode(), content[:_NONCE], key
        )
    except (_crypto_error(), ValueError) as error:
        raise NotSealed("it was sealed under another key, for another place, or was changed") from error
    return found


# --- who wrote it, and for whom -----------------------------------------------------------------------------


def verify_key(seed: bytes) -> bytes:
    """The public key of a home."""
    found: bytes = require().crypto_sign_seed_keypair(seed)[0]
    return found


def signature(seed: bytes, content: bytes) -> bytes:
    nacl = require()
    found: bytes = nacl.crypto_sign(content, nacl.crypto_sign_seed_keypair(seed)[1])[:SIGNATURE_BYTES]
    return found


def is_signed(public: bytes, content: bytes, made: bytes) -> bool:
    """Whether the home with this public key signed exactly this."""
    if len(made) != SIGNATURE_BYTES or len(public) != KEY_BYTES:
        return False
    try:
        require().crypto_sign_open(made + content, public)
    except (_crypto_error(), ValueError):
        return False
    return True


def box_for(public: bytes, content: bytes) -> bytes:
    """A sealed box that only the home with this public key opens."""
    nacl = require()
    try:
        found: bytes = nacl.crypto_box_seal(content, nacl.crypto_sign_ed25519_pk_to_curve25519(public))
    except (_crypto_error(), ValueError) as error:
        raise NotSealed("this is no public key of a home") from error
    return found


def open_box(seed: bytes, content: bytes) -> bytes:
    nacl = require()
    public, secret = nacl.crypto_sign_seed_keypair(seed)
    try:
        found: bytes = nacl.crypto_box_seal_open(
            content,
            nacl.crypto_sign_ed25519_pk_to_curve25519(public),
            nacl.crypto_sign_ed25519_sk_to_curve25519(secret),
        )
    except (_crypto_error(), ValueError) as error:
        raise NotSealed("this box is for another home, or was changed") from error
    return found


def _crypto_error() -> type[Exception]:
    from nacl.exceptions import CryptoError

    error: type[Exception] = CryptoError
    return error
