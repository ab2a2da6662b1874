"""What every embedder in the folder keeps to, and what each does when its model or its server is at fault."""

from __future__ import annotations

import base64
import json
import math
import re
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from axiommind.distribution import extra_command
from axiommind.errors import AxmError, EmbedderError, MissingExtra, UsageError
from axiommind.vectors import embedders
from axiommind.vectors.contract import Embedder, Vector
from axiommind.vectors.embedders import Settings, load, names, settings_of, spec
from tests.counting import PATIENCE_S
from tests.http_server import KEY, Server, raw, sends
from tests.vectors import tiny

TEXTS = ["the log is kept in sqlite", "tests are slow", "세션 記憶 保存", "close the database", "Log log LOG is is"]


def settings(name: str, home: Path, **more: Any) -> Settings:
    return Settings(name, "", "", "", 5.0, "", home)._replace(**more)


def numbers(text: str, dimension: int = 6) -> list[float]:
    """The vector that the test's server gives a text."""
    return [math.sin(sum(map(ord, text)) * (n + 1)) for n in range(dimension)]


def embeds(handler: BaseHTTPRequestHandler, body: Any) -> None:
    data = [{"index": i, "embedding": numbers(text)} for i, text in enumerate(body["input"])]
    sends(200, {"object": "list", "data": data[::-1]})(handler)  # `index` says whose it is, not the order


class Embedding(Server):
    """Answers as it is told, and when it is told nothing more, with vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Callable[[BaseHTTPRequestHandler], None]] = []
        self.replies = [self._reply]

    def _reply(self, handler: BaseHTTPRequestHandler) -> None:
        if self.told:
            self.told.pop(0)(handler)
        else:
            embeds(handler, self.requests[-1].body)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Embedding]:
    monkeypatch.setattr("axiommind.vectors.embedders.openai._PAUSES", (0.01, 0.01))
    server = Embedding()
    yield server
    server.close()


# --- the contract ------------------------------------------------------------------------------------------

KINDS = [*(name for name in names() if name != "folder"), "folder:model2vec", "folder:onnx"]
Make = Callable[[], Embedder]


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Loads an embedder, the same one every time."""
    name, _, form = request.param.partition(":")
    chosen = settings(name, tmp_path)
    if form == "model2vec":
        chosen = chosen._replace(path=str(tiny.model2vec(tmp_path / "model")))
    elif form == "onnx":
        chosen = chosen._replace(path=str(tiny.sentence_transformer(tmp_path / "model")))
    elif name == "minilm":
        tiny.minilm(tmp_path)
    elif name == "openai":
        chosen = chosen._replace(url=request.getfixturevalue("server").url, model="m")
    try:
        load(chosen)
    except (EmbedderError, MissingExtra) as error:
        pytest.skip(f"{name} cannot be loaded here: {error}")
    return lambda: load(chosen)


def plain(vectors: Any) -> list[list[float]]:
    return [[float(x) for x in vector] for vector in vectors]


def length(vector: Vector) -> float:
    return math.sqrt(sum(float(x) ** 2 for x in vector))


def test_it_says_what_it_is(make: Make) -> None:
    embedder = make()
    assert embedder.name in names()
    assert re.fullmatch(r"[a-z0-9]+-[0-9a-f]{8}(-\d+)?", embedder.version)
    assert embedder.dimension > 0
    assert 100 <= embedder.parts_of <= 10_000
    assert isinstance(embedder.warm, bool)


def test_a_unit_vector_for_each_text_in_order(make: Make) -> None:
    embedder = make()
    vectors = plain(embedder.embed(TEXTS))
    assert [len(vector) for vector in vectors] == [embedder.dimension] * len(TEXTS)
    assert all(math.isfinite(x) for vector in vectors for x in vector)
    assert [length(vector) for vector in vectors] == pytest.approx([1.0] * len(TEXTS), abs=1e-4)
    assert vectors[0] != vectors[1]
    assert plain(embedder.embed(TEXTS[::-1])) == [pytest.approx(vector, abs=1e-6) for vector in vectors[::-1]]


def test_many_at_once_are_as_each_alone(make: Make) -> None:
    embedder = make()
    many = plain(embedder.embed(TEXTS * 40))
    for i, text in enumerate(TEXTS):
        assert plain([embedder.embed_query(text)])[0] == pytest.approx(many[i], abs=1e-5)
        assert many[i + len(TEXTS) * 39] == pytest.approx(many[i], abs=1e-6)


def test_what_means_nothing_is_zeros(make: Make) -> None:
    embedder = make()
    vectors = plain(embedder.embed(["", "the log", " \n\t ", ""]))
    nothing = [0.0] * embedder.dimension
    assert [vector == nothing for vector in vectors] == [True, False, True, True]
    assert plain([embedder.embed_query("")])[0] == nothing
    assert plain(embedder.embed([])) == []
    assert plain(embedder.embed([""])) == [nothing]


def test_the_same_again_in_another_process_or_life(make: Make) -> None:
    one, other = make(), make()
    assert (one.version, one.dimension) == (other.version, other.dimension)
    assert plain(one.embed(TEXTS)) == plain(other.embed(TEXTS))


@pytest.mark.parametrize(
    "text",
    [
        "the log " * 130_000,
        "x" * 1_000_000,
        "the \ud800 log \udfff",
        "\ud83d",
        "\x00\x01 log",
        "\ufeff‮log",
        "🧑‍🚀" * 500,
    ],
    ids=["a megabyte of words", "one word of a megabyte", "surrogates", "half a pair", "controls", "marks", "emoji"],
)
def test_any_text_has_a_vector(make: Make, text: str) -> None:
    (vector,) = plain(make().embed([text]))
    assert all(math.isfinite(x) for x in vector)
    assert length(vector) == pytest.approx(1.0, abs=1e-4) or not any(vector)


# --- the registry ------------------------------------------------------------------------------------------


def test_an_unknown_name_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no embedder 'nope'") as caught:
        load(settings("nope", tmp_path))
    assert "minilm" in caught.value.hint and "openai" in caught.value.hint


@pytest.mark.parametrize("name", ["../openai", "_texts", "", "__init__"])
def test_only_names_of_embedders_are_loaded(name: str, tmp_path: Path) -> None:
    assert name not in names()
    with pytest.raises(UsageError):
        load(settings(name, tmp_path))


@pytest.mark.parametrize(("package", "extra"), [("onnxruntime", "minilm"), ("tokenizers", "minilm")])
def test_a_missing_package_names_its_extra(
    package: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny.minilm(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=package) as caught:
        load(settings("minilm", tmp_path))
    assert caught.value.hint == extra_command(extra)


def test_a_mistake_of_our_own_is_not_a_missing_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Settings) -> Embedder:
        raise ImportError("no", name="axiommind.nothing")

    monkeypatch.setattr("axiommind.vectors.embedders.openai.load", broken)
    with pytest.raises(ImportError):
        load(settings("openai", tmp_path))


def test_a_spec_opens_the_same_one_later(tmp_path: Path) -> None:
    made = settings("openai", tmp_path, model="m", url="http://localhost:1/v1", key_env="MY_KEY")
    now = settings("openai", tmp_path / "other", model="n", url="https://elsewhere/v1", key_env="OTHER", seconds=1.0)
    again = settings_of(spec(made), now)
    assert again == made._replace(home=now.home, seconds=1.0)
    assert settings_of(spec(settings("static", tmp_path)), now).key_env == ""
    for text in ("", "[1]", "nonsense"):
        with pytest.raises(EmbedderError):
            settings_of(text, now)


def test_the_folder_is_the_registry() -> None:
    assert {"folder", "minilm", "openai"} <= set(names())
    assert embedders.__all__ == sorted(embedders.__all__)


# --- openai ------------------------------------------------------------------------------------------------


def served(server: Embedding, **more: Any) -> Embedder:
    return load(settings("openai", Path(), url=f"{server.url}/v1", model="m", **more))


def answers(*vectors: Any, **more: Any) -> Any:
    return sends(200, {"data": [{"index": i, "embedding": v, **more} for i, v in enumerate(vectors)]})


def test_it_asks_as_openai_is_asked(server: Embedding) -> None:
    served(server).embed(["a", "", "b"])
    (request,) = server.requests
    assert (request.path, request.body) == ("/v1/embeddings", {"model": "m", "input": ["a", "b"]})
    assert "authorization" not in request.headers


def test_a_key_is_sent_here_only_when_it_is_named(server: Embedding, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    served(server).embed(["a"])
    assert "authorization" not in server.requests[-1].headers
    monkeypatch.setenv("MY_KEY", KEY)
    served(server, key_env="MY_KEY").embed(["a"])
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    server.told = [sends(401, {"error": {"message": f"bad key {KEY}"}})]
    with pytest.raises(EmbedderError, match=r"refused the key in MY_KEY \(401\): bad key \[key\]"):
        served(server, key_env="MY_KEY").embed(["a"])


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"model": ""}, "which model"),
        ({"url": "ftp://localhost/v1"}, "embed.url"),
        ({"url": "localhost:11434"}, "embed.url"),
        ({"url": "http://me:secret@localhost/v1"}, "a user or a password"),
        ({"url": "https://api.example.com/v1"}, "no key for api.example.com"),
        ({"key_env": "sk-1234"}, "embed.key_env is not the name"),
    ],
)
def test_settings_that_cannot_be_are_refused(more: dict[str, str], why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match=why) as caught:
        load(settings("openai", Path(), **{"url": "http://localhost:1/v1", "model": "m", **more}))
    assert "secret" not in str(caught.value) and "sk-1234" not in str(caught.value)


def test_texts_go_in_batches_and_long_ones_are_cut(server: Embedding) -> None:
    embedder = served(server)
    embedder.embed([f"text {n}" for n in range(130)])
    assert [len(request.body["input"]) for request in server.requests] == [64, 64, 2]
    server.requests.clear()
    embedder.embed(["x" * 50_000] * 14)
    sent = [request.body["input"] for request in server.requests]
    assert [len(texts) for texts in sent] == [12, 2]
    assert {len(text) for texts in sent for text in texts} == {8_000}


def test_the_dimension_is_learned_from_the_first_answer(server: Embedding) -> None:
    embedder = served(server)
    assert server.requests == []
    embedder.embed(["a"])
    assert (embedder.dimension, len(server.requests)) == (6, 1)
    other = served(server)
    assert (other.version, len(server.requests)) == (embedder.version, 2)
    assert embedder.version.startswith("openai-")
    another = load(settings("openai", Path(), url=f"{server.url}/v1", model="n"))
    assert another.version != embedder.version


def test_base64_is_read_too(server: Embedding) -> None:
    server.told = [answers(base64.b64encode(struct.pack("<2f", 3.0, 4.0)).decode())]
    assert plain(served(server).embed(["a"])) == [pytest.approx([0.6, 0.8])]


def test_very_small_and_large_numbers_have_a_length(server: Embedding) -> None:
    server.told = [answers([3e-300, 4e-300], [3e300, 4e300], [0, 0])]
    assert plain(served(server).embed(["a", "b", "c"])) == [pytest.approx([0.6, 0.8])] * 2 + [[0.0, 0.0]]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_in_trouble_is_asked_again_but_not_for_ever(status: int, server: Embedding) -> None:
    trouble = sends(status, {"error": {"message": "overloaded"}})
    server.told = [trouble, trouble]
    assert plain(served(server).embed(["a"]))
    assert len(server.requests) == 3
    server.told = [trouble] * 5
    with pytest.raises(EmbedderError, match=rf"\({status}\): overloaded"):
        served(server).embed(["a"])
    assert len(server.requests) == 6


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (answers([1.0, 2.0]), "1 vectors for 2 texts"),
        (answers(*[[1.0]] * 3), "3 vectors for 2 texts"),
        (answers([1.0, 2.0], [1.0]), "vectors of 1 and 2 numbers"),
        (answers([1.0], [2.0], index=0), "whose they are"),
        (answers([1.0], [2.0], index="0"), "whose they are"),
        (answers([1.0], [float("nan")]), "not a vector"),
        (answers([1.0], [float("inf")]), "not a vector"),
        (answers([1.0], [10**400]), "not a vector"),
        (answers([1.0], [None]), "not a vector"),
        (answers([1.0], [True]), "not a vector"),
        (answers([1.0], []), "not a vector"),
        (answers([1.0], None), "not a vector"),
        (answers([1.0], "%%%"), "not a vector"),
        (answers([1.0], "AAAAAAA="), "not a vector"),
        (sends(200, {"data": {"0": []}}), "no list of vectors"),
        (sends(200, {"embedding": [1.0]}), "no list of vectors"),
        (sends(200, [1]), "JSON object"),
        (sends(200, {"error": "no such model"}), "no such model"),
        (raw(200, b"<html><body>Welcome to nginx</body></html>"), "Welcome to nginx"),
        (raw(200, b""), "but with: nothing"),
        (sends(404, {"error": {"message": 'model "m" not found'}}), r"embed.model .*\(404\): model \"m\" not found"),
        (sends(413, {"error": "too large"}), r"too long \(413\)"),
        (sends(400, {"error": "unknown schema"}), "unknown schema"),
        (raw(302, b"", location="http://evil.example/"), "redirects to http://evil.example/"),
    ],
)
def test_an_answer_that_cannot_be_is_an_error_in_few_words(reply: Any, why: str, server: Embedding) -> None:
    server.told = [reply]
    with pytest.raises(EmbedderError, match=why) as caught:
        served(server).embed(["a", "b"])
    assert len(str(caught.value)) < 500
    assert len(server.requests) == 1


def test_another_dimension_than_before_is_refused(server: Embedding) -> None:
    embedder = served(server)
    embedder.embed(["a"])
    server.told = [answers([1.0, 2.0])]
    with pytest.raises(EmbedderError, match="vectors of 2 numbers where there were 6 before"):
        embedder.embed(["a"])


def test_a_slow_server_is_not_waited_for(server: Embedding) -> None:
    server.told = [lambda handler: server.over.wait(PATIENCE_S) and None]
    with pytest.raises(EmbedderError, match=r"did not answer within 0.3 seconds \(embed.seconds\)"):
        served(server, seconds=0.3).embed(["a"])
    server.over.set()


def test_a_server_that_is_down_is_said() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    embedder = load(settings("openai", Path(), url=f"http://127.0.0.1:{port}/v1", model="m"))
    for ask in (lambda: embedder.embed(["a"]), lambda: embedder.version, lambda: embedder.embed([""])):
        with pytest.raises(EmbedderError, match=r"nothing listens .* is embed.url right"):
            ask()


# --- minilm ------------------------------------------------------------------------------------------------


def test_minilm_that_is_not_installed_says_how(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="not installed") as caught:
        load(settings("minilm", tmp_path))
    assert caught.value.hint == "axm models install minilm"


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "model.json"])
@pytest.mark.parametrize("harm", ["cut", "changed", "gone"])
def test_a_damaged_model_is_named(name: str, harm: str, tmp_path: Path) -> None:
    file = tiny.minilm(tmp_path) / name
    if harm == "gone":
        file.unlink()
    else:
        content = file.read_bytes()
        file.write_bytes(content[:-9] if harm == "cut" else b"\x00" + content[1:])
    with pytest.raises(EmbedderError, match=rf"{name}.* is damaged|{name} cannot be read|not installed") as caught:
        load(settings("minilm", tmp_path))
    assert caught.value.hint == "axm models install minilm"


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_its_library_does_not_take_is_named(name: str, tmp_path: Path) -> None:
    import hashlib

    where = tiny.minilm(tmp_path)
    (where / name).write_bytes(b"not this")
    said = json.loads((where / "model.json").read_text())
    said["files"][name] = hashlib.sha256(b"not this").hexdigest()
    (where / "model.json").write_text(json.dumps(said))
    with pytest.raises(EmbedderError, match=name) as caught:
        load(settings("minilm", tmp_path))
    assert caught.value.hint == "axm models install minilm"


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_threads_change_nothing(threads: int, tmp_path: Path) -> None:
    tiny.minilm(tmp_path)
    one, many = (load(settings("minilm", tmp_path, threads=n)) for n in (1, threads))
    assert plain(many.embed(TEXTS * 5)) == plain(one.embed(TEXTS * 5))


# --- folder ------------------------------------------------------------------------------------------------


def in_folder(where: Path) -> Embedder:
    return load(settings("folder", where, path=str(where)))


def test_a_model2vec_vector_is_the_mean_of_its_tokens(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    weights = np.linspace(0.5, 2, len(tiny.WORDS)).astype(np.float32)
    mapping = np.arange(len(tiny.WORDS))[::-1].astype(np.int64).copy()
    plainly = in_folder(tiny.model2vec(tmp_path / "a"))
    weighed = in_folder(tiny.model2vec(tmp_path / "b", weights=("F32", weights), mapping=("I64", mapping)))
    rows = tiny.table()
    mean = rows[[1, 2]].mean(0)
    assert plain(plainly.embed(["the log unheard"]))[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
    mean = (rows[mapping[[1, 2]]] * weights[[1, 2]][:, None]).mean(0)
    assert plain(weighed.embed(["the log"]))[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
    assert not any(plain(plainly.embed(["unheard of"]))[0])
    assert plainly.version != weighed.version


@pytest.mark.parametrize("kind", ["F32", "F16", "BF16", "I8"])
def test_numbers_of_any_width_are_read(kind: str, tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    rows = tiny.table()
    stored = {
        "F32": lambda: rows,
        "F16": lambda: rows.astype(np.float16),
        "BF16": lambda: (rows.view(np.uint32) >> 16).astype(np.uint16),
        "I8": lambda: np.rint(rows * 40).astype(np.int8),
    }[kind]()
    model = tiny.model2vec(tmp_path / "model", embeddings=(kind, stored))
    expected = rows[2] / np.linalg.norm(rows[2])
    assert plain(in_folder(model).embed(["log"]))[0] == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no header"),
        (b"\xff" * 64, "no header"),
        ((2).to_bytes(8, "little") + b"[]", "not an object"),
        ((2).to_bytes(8, "little") + b"{}", "no `embeddings`"),
        ((9).to_bytes(8, "little") + b"{nonsense", "cannot be read"),
    ],
)
def test_a_damaged_safetensors_file_is_named(content: bytes, why: str, tmp_path: Path) -> None:
    model = tiny.model2vec(tmp_path / "model")
    (model / "model.safetensors").write_bytes(content)
    with pytest.raises(EmbedderError, match=why) as caught:
        in_folder(model)
    assert "model.safetensors" in str(caught.value)


@pytest.mark.parametrize(
    "said",
    [
        {"dtype": "F32", "shape": [12, 8], "data_offsets": [0, 10**9]},
        {"dtype": "F32", "shape": [12, 9], "data_offsets": [0, 384]},
        {"dtype": "F32", "shape": [12, 8], "data_offsets": [-4, 380]},
        {"dtype": "C64", "shape": [12, 8], "data_offsets": [0, 384]},
        {"dtype": "F32", "shape": [96], "data_offsets": [0, 384]},
        {"shape": "many"},
        [],
    ],
)
def test_a_header_that_lies_is_refused(said: Any, tmp_path: Path) -> None:
    model = tiny.model2vec(tmp_path / "model")
    head = json.dumps({"embeddings": said}).encode()
    (model / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + bytes(384))
    with pytest.raises(EmbedderError, match=r"model\.safetensors cannot be read"):
        in_folder(model)


def test_pooling_is_as_the_folder_says(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    rows = tiny.table()
    first = in_folder(tiny.sentence_transformer(tmp_path / "a", "cls_token"))
    mean = in_folder(tiny.sentence_transformer(tmp_path / "b"))
    assert plain(first.embed(["the log"]))[0] == pytest.approx(rows[1] / np.linalg.norm(rows[1]), abs=1e-6)
    both = rows[[1, 2]].mean(0)
    assert plain(mean.embed(["the log"]))[0] == pytest.approx(both / np.linalg.norm(both), abs=1e-6)
    with pytest.raises(EmbedderError, match="pools in a way that is not known"):
        in_folder(tiny.sentence_transformer(tmp_path / "c", "max_tokens"))


def test_prompts_are_put_before_texts(tmp_path: Path) -> None:
    model = tiny.sentence_transformer(tmp_path / "model")
    bare = in_folder(model)
    said = {"prompts": {"query": "slow ", "passage": "tests "}}
    (model / "config_sentence_transformers.json").write_text(json.dumps(said))
    prompted = in_folder(model)
    assert plain([prompted.embed_query("log")])[0] == pytest.approx(plain(bare.embed(["slow log"]))[0])
    assert plain(prompted.embed(["log"]))[0] == pytest.approx(plain(bare.embed(["tests log"]))[0])
    assert not any(prompted.embed_query(" "))
    assert prompted.version != bare.version


def test_a_model_with_a_layer_more_is_refused(tmp_path: Path) -> None:
    model = tiny.sentence_transformer(tmp_path / "model")
    (model / "modules.json").write_text('[{"type": "sentence_transformers.models.Dense"}]')
    with pytest.raises(EmbedderError, match="a layer after pooling"):
        in_folder(model)


@pytest.mark.parametrize("missing", ["tokenizer.json", "model.safetensors", "everything"])
def test_a_folder_without_a_model_is_said(missing: str, tmp_path: Path) -> None:
    where = tmp_path / "model"
    if missing != "everything":
        (tiny.model2vec(where) / missing).unlink()
    with pytest.raises(EmbedderError, match="there is no model in") as caught:
        in_folder(where)
    assert "embed.path" in caught.value.hint
    with pytest.raises(UsageError, match="where the model is"):
        load(settings("folder", tmp_path))


@pytest.mark.parametrize("name", ["onnx/model.onnx", "tokenizer.json", "1_Pooling/config.json"])
def test_a_damaged_file_of_a_folder_is_named(name: str, tmp_path: Path) -> None:
    model = tiny.sentence_transformer(tmp_path / "model")
    (model / name).write_bytes(b"not this")
    with pytest.raises(AxmError, match=name):
        in_folder(model)
