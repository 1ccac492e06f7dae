# docker build -t meshreplay . && docker run --rm -v "$PWD:/data" meshreplay replay LOG --machine 16x16 --allocator all
# Not the slim image: licences.py needs Python.
FROM rust:1.95.0-bookworm@sha256:6258907abe69656e41cd992e0b705cdcfabcbbe3db374f92ed2d47121282d4a1 AS build
WORKDIR /src
COPY . .
RUN cargo build --locked --profile dist --package meshreplay \
    && strip target/dist/meshreplay \
    && mkdir -p /out/bin /out/share/doc/meshreplay \
    && cp target/dist/meshreplay /out/bin/ \
    && cp LICENSE-APACHE LICENSE-MIT /out/share/doc/meshreplay/ \
    && python3 scripts/licences.py --package meshreplay > /out/share/doc/meshreplay/THIRD-PARTY.txt

FROM debian:bookworm-slim@sha256:96e378d7e6531ac9a15ad505478fcc2e69f371b10f5cdf87857c4b8188404716
LABEL org.opencontainers.image.title="meshreplay" \
    org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /out /usr/local
# Results in a mounted folder belong to the user that `docker run --user` names.
USER 65534:65534
WORKDIR /data
ENTRYPOINT ["meshreplay"]
