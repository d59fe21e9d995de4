"""Variant and profile become settings."""

from dataclasses import asdict

import pytest

from hilabel.pseudo_labeling import Profile, resolve_settings

OPPOSITES = {
    "exclude_self": False,
    "similarity_average": "members",
    "similarity_set": "contributors",
    "acceptance": "above",
    "convergence": "proposed",
    "stop_on_cycle": True,
    "iteration_limit": "at",
    "growth": "in",
    "negatives_order": "authors",
}


def resolve(variant="v2", profile="paper", k_step=10, **common):
    defaults = {
        "n_neighbors": 3,
        "similarity_threshold": 0.5,
        "label_threshold": 0.5,
        "similarity_span": 3.0,
        "max_iter": 50,
    }
    return resolve_settings(
        variant=variant,
        profile=profile,
        k_step=k_step,
        **defaults | common,
    )


@pytest.mark.parametrize(
    ("variant", "exclude_self", "k_step"),
    [("v1", False, None), ("v2", True, None), ("v3", True, 10)],
)
@pytest.mark.parametrize("profile", ["paper", "authors"])
def test_variants_differ_in_self_exclusion_and_growth(
    variant, exclude_self, k_step, profile
):
    settings = resolve(variant, profile)
    assert (settings.exclude_self, settings.k_step) == (exclude_self, k_step)


def test_profiles_differ_in_every_departure():
    paper, authors = asdict(resolve("v1")), asdict(resolve("v1", "authors"))
    differing = {name for name in paper if paper[name] != authors[name]}
    assert differing == set(OPPOSITES) - {"exclude_self"}
    assert {name: authors[name] for name in differing} == {
        name: OPPOSITES[name] for name in differing
    }


@pytest.mark.parametrize("name", OPPOSITES)
def test_a_change_of_a_profile_changes_that_setting_and_nothing_else(name):
    plain = asdict(resolve())
    change = {name: OPPOSITES[name]}
    assert plain[name] != OPPOSITES[name]
    for profile in (Profile.paper(**change), {"base": "paper", **change}, change):
        assert asdict(resolve(profile=profile)) == plain | change


def test_a_profile_is_a_name_a_mapping_or_an_object():
    assert Profile.of("authors") == Profile.of({"base": "authors"}) == Profile.authors()
    assert Profile.of("paper") == Profile.of({}) == Profile.paper() == Profile()
    changed = Profile.authors(stop_on_cycle=False)
    assert Profile.of(changed) is changed
    assert resolve(profile=changed).stop_on_cycle is False


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ("mine", "Expected profile 'paper' or 'authors', got 'mine'"),
        ({"base": "mine"}, "Expected profile 'paper' or 'authors', got 'mine'"),
        ({"similarity": 1}, "A profile has no 'similarity'; it has base, similarity_a"),
        (
            {"acceptance": "over"},
            "Expected acceptance .* 'above', got 'over'",
        ),
        ({"stop_on_cycle": None}, "Expected stop_on_cycle .* True, False, got None"),
        ({"exclude_self": "no"}, "Expected exclude_self .* True, False, None, got 'no"),
    ],
)
def test_wrong_profiles_are_refused_with_what_was_expected(profile, message):
    with pytest.raises(ValueError, match=message):
        Profile.of(profile)


@pytest.mark.parametrize(("profile", "expected"), [("paper", True), ("authors", False)])
def test_proposals_are_cut_where_rows_have_one_path_and_the_profile_says_so(
    profile, expected
):
    assert resolve(profile=profile, single_path=True).single_path is expected
    assert resolve(profile=profile).single_path is False


@pytest.mark.parametrize(
    ("profile", "k_step", "expected"),
    [
        ("paper", 10, [3] * 10 + [4] * 10 + [5]),
        ("paper", 2, [3, 3, 4, 4, 5]),
        ("paper", 1, [3, 4, 5, 6]),
        ("authors", 10, [3] * 9 + [4] * 10 + [5]),
        ("authors", 5, [3] * 4 + [4] * 5 + [5] * 5 + [6] * 5 + [7]),
        ("authors", 2, [3, 4, 4, 5, 5, 6]),
        ("authors", 1, [3, 4, 5, 6]),  # never in the first pass
    ],
)
def test_v3_asks_one_more_neighbour_after_k_step_passes_or_in_each_k_step_th(
    profile, k_step, expected
):
    settings = resolve("v3", profile, k_step=k_step)
    passes = range(1, len(expected) + 1)
    assert [settings.neighbors_at(iteration) for iteration in passes] == expected


def test_v2_never_asks_more_neighbours():
    assert {resolve("v2", k_step=1).neighbors_at(c) for c in range(1, 60)} == {3}


def test_the_paper_s_limit_is_one_pass_later():
    assert resolve(max_iter=7).max_passes == 8
    assert resolve(profile="authors", max_iter=7).max_passes == 7
