# An image of strata alone: no shell, no package manager, an unprivileged user. It needs a Postgres of its own
# (STRATA_DATABASE_URL); deploy/compose shows the whole.
FROM golang:1.26-bookworm AS build
WORKDIR /src
ENV GOCACHE=/go/build-cache
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG VERSION=unknown
ARG COMMIT=unknown
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/go/build-cache \
    CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.buildVersion=${VERSION} -X main.commit=${COMMIT}" -o /out/strata ./cmd/strata \
    && mkdir -p /out/data

FROM gcr.io/distroless/static-debian12:nonroot
LABEL org.opencontainers.image.title="strata" \
      org.opencontainers.image.description="The data layer between a Stacks node and everything that reads the chain" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out/strata /usr/bin/strata
# Spooled bodies and the key of the log. Everything else of the file system may be read-only.
COPY --from=build --chown=65532:65532 /out/data /var/lib/strata
VOLUME /var/lib/strata
ENV STRATA_API_ADDR=0.0.0.0:3999 \
    STRATA_OBSERVER_ADDR=0.0.0.0:3700 \
    STRATA_DATA_DIR=/var/lib/strata
USER 65532:65532
EXPOSE 3999 3700
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=6 CMD ["/usr/bin/strata", "health"]
ENTRYPOINT ["/usr/bin/strata"]
CMD ["serve"]
