"""Reference texts and system outputs made by rule: test sets of any size whose true scores can be known.

The texts are made of invented words. A document has a topic, which decides part of its vocabulary, and a difficulty,
so that neighbouring segments are alike, as in real test sets. A system is a noisy channel: it passes a word of the
reference on unharmed with a probability that is its *quality*, less often where a segment is difficult; else it
inflects, replaces, drops or moves the word, or adds another. Systems share part of their errors. Nothing is copied from
any text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.corpus.assembly import line_numbers
from mtsig.corpus.files import some_kept
from mtsig.corpus.model import EvaluationSet, check_names
from mtsig.errors import ConfigError

__all__ = ["REFERENCE", "Simulation", "evaluation_set", "fresh_samples", "simulation_of"]

#: Name of the one reference of a simulated test set.
REFERENCE = "reference"

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = tuple(consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS)
# Stems end in a vowel and endings in consonants, so no two words are spelled alike.
_ENDINGS = ("", "n", "s", "lt")
_COMMA = 0

# What happens to a harmed word: upper ends of the ranges of a uniform number.
_INFLECTED, _REPLACED, _DROPPED, _DOUBLED = 0.15, 0.60, 0.74, 0.85  # the rest is moved
_REACH = 5.0  # words are moved by at most so many places
_COMMA_RATE = 0.05
_FUNCTION_WORDS = 200  # the most frequent words belong to no topic
_TOPICAL = 0.6  # share of the other words that a topic turns into its own
_LENGTH_SPREAD = 0.5  # standard deviation of the logarithm of segment lengths
_SHORTEST, _LONGEST = 3, 150  # words in a segment
_RUN = 2  # errors come in runs of about so many words
# Difficulty that one system alone has with a document or a segment (standard deviations).
_OWN_DOCUMENT, _OWN_SEGMENT = 0.03, 0.1

# First word of the random streams' keys: what a stream is for.
_TEXT, _SYSTEM = 0, 1


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """A source of simulated texts.

    Parameters
    ----------
    systems
        System name to quality, the expected share of the reference's words that the system gets right, in (0, 1).
    segments
        Number of segments of the test set.
    seed
        Seed of all texts. A system's output depends on it, on the system's name and on its quality, and not on what
        other systems there are.
    segment_length
        Mean number of words of a segment.
    document_length
        Mean number of segments of a document.
    topics
        Number of topics; a document's topic is its domain.
    vocabulary
        Number of different words.
    document_spread, segment_spread
        Standard deviation of the difficulty among documents, and among the segments of a document, on the scale of
        a standard normal error per word. The larger the first, the more consecutive segments are alike.
    agreement
        Share of the words' error variance that all systems have in common.
    """

    systems: Mapping[str, float]
    segments: int = 1000
    seed: int = 1
    segment_length: float = 25.0
    document_length: float = 20.0
    topics: int = 8
    vocabulary: int = 20000
    document_spread: float = 0.16
    segment_spread: float = 0.25
    agreement: float = 0.65

    def __post_init__(self) -> None:
        check_names(self.systems, "systems of a simulated test set")
        for name, quality in self.systems.items():
            if not 0 < quality < 1:
                raise ConfigError(f"systems.{name}: {quality} is not a quality; it lies between 0 and 1.")


@dataclass(frozen=True)
class _Tokens:
    """Words of consecutive segments: one flat array, and how many belong to each segment."""

    words: Ints
    lengths: Ints

    @property
    def owners(self) -> Ints:
        """The segment of every word."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


@dataclass(frozen=True)
class _Text:
    """What the systems of one sample have in common."""

    reference: _Tokens
    document: Ints  # of each segment
    topic: Ints  # of each segment
    difficulty: Floats  # of each segment
    error: Floats  # of each word: the part of its error that all systems share


def evaluation_set(testset: str, langpair: str, simulation: Simulation) -> EvaluationSet:
    """The test set that a simulation describes.

    Parameters
    ----------
    testset, langpair
        Its name and language pair.
    simulation
        What to make.

    Examples
    --------
    >>> simulation = Simulation(systems={"A": 0.8}, segments=3, seed=1, segment_length=6)
    >>> evaluation = evaluation_set("demo", "xx-yy", simulation)
    >>> evaluation.references["reference"][0], evaluation.systems["A"][0]
    ('Dalt mita pove bason mali bin begi bokon.', 'Dalt didalt pove bason mali bin bokon.')
    """
    text = _text(simulation, simulation.segments, part=0)
    outputs = {name: _channel(simulation, text, quality, name, part=0) for name, quality in simulation.systems.items()}
    return _evaluation_set(testset, langpair, simulation, text, outputs)


def fresh_samples(
    testset: str, langpair: str, simulation: Simulation, *, segments: int, count: int
) -> Iterator[EvaluationSet]:
    """Independent samples of the same source, to estimate its true scores.

    Systems of equal quality are the same channel: they get the same outputs here, so that their true scores are equal.

    Parameters
    ----------
    testset, langpair
        Names to put on the samples.
    simulation
        The source; its number of segments is not used.
    segments
        Number of segments of each sample.
    count
        Number of samples. None overlaps with another or with the test set.
    """
    for part in range(1, count + 1):
        text = _text(simulation, segments, part=part)
        channels = {quality: f"quality {quality!r}" for quality in simulation.systems.values()}
        outputs = {quality: _channel(simulation, text, quality, key, part) for quality, key in channels.items()}
        by_name = {name: outputs[quality] for name, quality in simulation.systems.items()}
        yield _evaluation_set(testset, langpair, simulation, text, by_name)


def _evaluation_set(
    testset: str, langpair: str, simulation: Simulation, text: _Text, outputs: Mapping[str, _Tokens]
) -> EvaluationSet:
    n_segments = len(text.document)
    width = len(str(int(text.document[-1]) + 1))
    return EvaluationSet(
        testset=testset,
        langpair=langpair,
        segment_ids=tuple(line_numbers(n_segments)),
        documents=tuple(f"document-{number + 1:0{width}}" for number in text.document.tolist()),
        domains=tuple(f"topic-{topic + 1}" for topic in text.topic.tolist()),
        sources=(None,) * n_segments,
        references={REFERENCE: _written(text.reference, simulation.vocabulary)},
        systems={name: _written(outputs[name], simulation.vocabulary) for name in sorted(outputs)},
    )


def _stream(simulation: Simulation, purpose: int, part: int, key: str = "") -> np.random.Generator:
    """A random stream of its own for every purpose, sample and system."""
    digest = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "little")
    entropy: Sequence[int] = (simulation.seed, purpose, part, digest)
    return np.random.default_rng(entropy)


def _text(simulation: Simulation, n_segments: int, part: int) -> _Text:
    """Documents, topics, difficulties and the reference of a sample."""
    rng = _stream(simulation, _TEXT, part)
    # Lengths are at least 1, so n_segments documents are always enough; the last one is cut.
    ends = np.minimum(np.cumsum(rng.geometric(1 / simulation.document_length, n_segments)), n_segments)
    sizes = np.diff(ends, prepend=0)
    document = np.repeat(np.arange(n_segments), sizes)
    n_documents = int(document[-1]) + 1
    topic = rng.integers(simulation.topics, size=n_documents)[document]
    logarithm = np.log(simulation.segment_length) - _LENGTH_SPREAD**2 / 2
    drawn = np.rint(rng.lognormal(logarithm, _LENGTH_SPREAD, n_segments))
    lengths = np.clip(drawn, _SHORTEST, _LONGEST).astype(np.int64)
    difficulty = simulation.document_spread * rng.standard_normal(n_documents)[document]
    difficulty = difficulty + simulation.segment_spread * rng.standard_normal(n_segments)
    n_words = int(lengths.sum())
    words = _draw_words(rng, simulation, np.repeat(topic, lengths))
    commas = rng.random(n_words) < _COMMA_RATE
    commas[np.cumsum(lengths) - lengths] = False
    commas[1:] &= ~commas[:-1]
    words[commas] = _COMMA
    return _Text(_Tokens(words, lengths), document, topic, difficulty, _runs(rng, n_words))


@lru_cache(maxsize=4)
def _cumulative_zipf(vocabulary: int) -> Floats:
    """Cumulative frequencies of the words after the law of Zipf and Mandelbrot."""
    frequencies = 1 / (np.arange(vocabulary) + 2.7)
    cumulative: Floats = np.cumsum(frequencies / frequencies.sum())
    return cumulative


def _draw_words(rng: np.random.Generator, simulation: Simulation, topics: Ints) -> Ints:
    """A word for each entry of `topics`; words count from 1, since 0 is the comma."""
    last = simulation.vocabulary - 1
    ranks = np.minimum(np.searchsorted(_cumulative_zipf(simulation.vocabulary), rng.random(len(topics))), last)
    own = (ranks >= _FUNCTION_WORDS) & (rng.random(len(topics)) < _TOPICAL)
    # The nearest more frequent stem of the topic: stems are dealt out to the topics in turn.
    forms, stems = len(_ENDINGS), ranks // len(_ENDINGS)
    topical = (stems - stems % simulation.topics + topics) * forms + ranks % forms
    return np.where(own, np.minimum(topical, last), ranks) + 1


def _runs(rng: np.random.Generator, count: int) -> Floats:
    """Standard normal numbers of which neighbours are alike: means over `_RUN` of independent ones, rescaled."""
    independent = rng.standard_normal(count + _RUN - 1)
    sums = sum(independent[start : start + count] for start in range(_RUN))
    return np.asarray(sums / np.sqrt(_RUN))


def _channel(simulation: Simulation, text: _Text, quality: float, key: str, part: int) -> _Tokens:
    """The reference as it comes out of a channel of the given quality."""
    rng = _stream(simulation, _SYSTEM, part, key)
    owners, words = text.reference.owners, text.reference.words
    n_segments, n_words = len(text.document), len(words)
    difficulty = text.difficulty + _OWN_DOCUMENT * rng.standard_normal(int(text.document[-1]) + 1)[text.document]
    difficulty = difficulty + _OWN_SEGMENT * rng.standard_normal(n_segments)
    shared = simulation.agreement
    error = np.sqrt(shared) * text.error + np.sqrt(1 - shared) * _runs(rng, n_words) + difficulty[owners]
    # The error is normal with this variance over all documents, so `quality` is the expected share left unharmed.
    variances = (1, simulation.document_spread**2, simulation.segment_spread**2, _OWN_DOCUMENT**2, _OWN_SEGMENT**2)
    harmed = error > NormalDist(sigma=np.sqrt(sum(variances))).inv_cdf(quality)

    kind = rng.random(n_words)
    output = words.copy()
    inflected = harmed & (kind < _INFLECTED) & (words != _COMMA)
    turns = rng.integers(1, len(_ENDINGS), size=int(inflected.sum()))
    stems, forms = np.divmod(words[inflected] - 1, len(_ENDINGS))
    output[inflected] = np.minimum(stems * len(_ENDINGS) + (forms + turns) % len(_ENDINGS) + 1, simulation.vocabulary)
    replaced = harmed & (kind >= _INFLECTED) & (kind < _REPLACED)
    topics = text.topic[owners]
    output[replaced] = _draw_words(rng, simulation, topics[replaced])
    copies = np.ones(n_words, dtype=np.int64)
    copies[harmed & (kind >= _REPLACED) & (kind < _DROPPED)] = 0
    copies[harmed & (kind >= _DROPPED) & (kind < _DOUBLED)] = 2
    place = np.arange(n_words, dtype=np.float64)
    moved = harmed & (kind >= _DOUBLED)
    place[moved] += rng.uniform(-_REACH, _REACH, int(moved.sum()))

    origin = np.repeat(np.arange(n_words), copies)
    added = np.zeros(len(origin), dtype=bool)
    added[1:] = origin[1:] == origin[:-1]
    output = output[origin]
    output[added] = _draw_words(rng, simulation, topics[origin[added]])
    # Moved words stay in their segment: the order is by segment first.
    order = np.lexsort((place[origin], owners[origin]))
    return _Tokens(output[order], np.bincount(owners[origin], minlength=n_segments))


@lru_cache(maxsize=4)
def _dictionary(vocabulary: int) -> npt.NDArray[np.object_]:
    """The spelling of every word, frequent ones shorter, with the comma in front."""
    return np.array([",", *map(_spelling, range(vocabulary))], dtype=object)


def _spelling(rank: int) -> str:
    """A stem of syllables, read off its number, and one of the endings."""
    stem, form = divmod(rank, len(_ENDINGS))
    syllables: list[str] = []
    stem += 1
    while stem:
        stem, syllable = divmod(stem - 1, len(_SYLLABLES))
        syllables.append(_SYLLABLES[syllable])
    return "".join(reversed(syllables)) + _ENDINGS[form]


def _written(tokens: _Tokens, vocabulary: int) -> tuple[str, ...]:
    """Sentences with a capital letter and a full stop; empty where no word is left."""
    spelled: list[str] = _dictionary(vocabulary)[tokens.words].tolist()
    sentences, start = [], 0
    for length in tokens.lengths.tolist():
        # Channels may leave commas at the start or side by side.
        sentence = " ".join(spelled[start : start + length]).replace(" ,", ",").replace(",,", ",").lstrip(", ")
        sentences.append(sentence[:1].upper() + sentence[1:] + "." if sentence else "")
        start += length
    return tuple(sentences)


def simulation_of(settings: Mapping[str, Any]) -> Simulation:
    """The simulation that a test set's settings describe (see the schema of the format ``simulated``)."""
    names = Simulation.__dataclass_fields__
    given = {key: value for key, value in settings.items() if key in names}
    systems = {name: settings["systems"][name] for name in some_kept(settings["systems"], settings)}
    return Simulation(**{**given, "systems": systems})
