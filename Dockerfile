# docker build -t hilabel .
# docker run --rm -v "$PWD:/data" hilabel inspect features.csv --labels ...
FROM python:3.13-slim AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN python -m venv /opt/hilabel \
    && /opt/hilabel/bin/pip install --no-cache-dir --constraint /source/constraints.txt \
        "/source[parquet,excel,plot,study]"

FROM python:3.13-slim
COPY --from=build /opt/hilabel /opt/hilabel
ENV PATH="/opt/hilabel/bin:$PATH"
RUN useradd --create-home --uid 1000 hilabel
USER 1000
WORKDIR /data
ENTRYPOINT ["hilabel"]
CMD ["--help"]
