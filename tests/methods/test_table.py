"""The table of methods."""

from hilabel._methods import list_methods, method_table


def test_the_table_says_what_the_tags_say():
    for row in method_table().itertuples():
        tags = list_methods()[row.method].method_tags
        assert row.unlabelled == tags.semi_supervised
        assert row.handles == str(tags.problem_types[-1])
        assert row.summary


def test_summaries_are_plain_text():
    assert not [text for text in method_table()["summary"] if "`" in text]


def test_every_method_is_summed_up_in_twenty_characters():
    assert not [text for text in method_table()["summary"] if len(text) > 20]
