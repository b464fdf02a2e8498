# The double in a container. docs/container.md says how to build and run it.
FROM node:22-slim AS build
WORKDIR /build
COPY . .
# `npm ci` builds the bundle too, by the script `prepare`. It contains the code of the dependencies.
RUN npm ci

FROM node:22-slim
COPY --from=build /build/package.json /double/package.json
COPY --from=build /build/bundle /double/bundle
COPY --from=build /build/spec /double/spec
COPY --from=build /build/fixtures /double/fixtures
COPY --from=build /build/docs/summary.md /double/docs/summary.md
# The working folder has the state files. A new volume gets its owner.
RUN mkdir /state && chown node:node /state
WORKDIR /state
VOLUME /state
USER node
EXPOSE 4010
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4010}/__admin/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/double/bundle/main.js"]
CMD ["--host", "0.0.0.0"]
