"""The study files that come with hilabel."""

from hilabel.studies import bundled_studies, read_study


def test_each_is_called_as_its_file():
    studies = bundled_studies()
    assert studies
    for name, path in studies.items():
        assert read_study(path, check_methods=False).name == name
