# Headwater in a container: built with Swift, run on a slim Debian, where the program, SQLite and what HTTPS to the outside needs are all there is.
FROM docker.io/library/swift:6.3-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends libsqlite3-dev zlib1g-dev pkg-config && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
# The commit for `headwater --version`: docker build --build-arg HEADWATER_COMMIT=$(git rev-parse HEAD) .
ARG HEADWATER_COMMIT=unknown
# The program holds Swift's own library already; the names for a debugger are left out.
RUN Scripts/release headwater -Xlinker -s \
    && install -D "$(Scripts/release headwater --show-bin-path | tail -n 1)" /product/headwater

FROM docker.io/library/debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates libcurl4 libnats3.4 libsqlite3-0 tzdata zlib1g \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf /var/log/apt /var/log/dpkg.log /var/log/alternatives.log \
    && useradd --system --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin headwater \
    && install --directory --owner headwater --group headwater /data
COPY --from=build /product/headwater /usr/local/bin/headwater
USER 10001:10001
WORKDIR /data
VOLUME /data
# It is reached from outside, and so does not start without a token: HEADWATER_TOKEN, or a file of tokens that HEADWATER_TOKENS names.
ENV HEADWATER_HOST=0.0.0.0 HEADWATER_PORT=8080 HEADWATER_DATA=/data HEADWATER_LOG_FORMAT=json
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["headwater", "health"]
ENTRYPOINT ["headwater"]
CMD ["serve"]
