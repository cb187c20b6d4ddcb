# The lab in a container: `docker build --target cpu -t speculative-lab .`, or `--target cuda` for a machine with a GPU.
# The pair is converted while the image is built, so a start needs no network. docs/hosting.md says the rest.

FROM python:3.11-slim AS base
ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    HOME=/var/lib/speclab
# libgomp: PyTorch's threads.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 lab \
    && useradd --uid 10001 --gid lab --home-dir /var/lib/speclab --create-home --shell /usr/sbin/nologin lab
WORKDIR /lab

FROM base AS packages-cpu
COPY requirements.txt requirements-models.txt constraints.txt ./
# The address of PyTorch's CPU-only builds, as its own start page gives it. Without it the ordinary build is
# installed, which works as well and is several gigabytes larger.
ARG TORCH_INDEX=""
RUN if [ -n "$TORCH_INDEX" ]; then pip install --index-url "$TORCH_INDEX" "$(grep '^torch==' requirements.txt)"; fi \
    && pip install -r requirements.txt \
    && pip install --no-deps -r requirements-models.txt

FROM base AS packages-cuda
COPY requirements.txt requirements-models.txt constraints.txt ./
RUN pip install -r requirements.txt && pip install --no-deps -r requirements-models.txt

# What both targets have in common, on top of the packages of one of them.
FROM packages-cpu AS cpu
ENV SPECLAB_DEVICE=cpu
COPY --chown=lab:lab . .
# A fixed format: what is quickest is measured on the machine that serves, not on the one that builds.
RUN mkdir -p /var/lib/speclab/cache /var/lib/speclab/votes /lab/static \
    && chown -R lab:lab /var/lib/speclab /lab/static
USER lab
ENV SPECLAB_CACHE=/var/lib/speclab/cache \
    SPECLAB_DATABASE=sqlite:////var/lib/speclab/votes/classroom.db \
    SPECLAB_THREADS=hosted \
    SPECLAB_LOG=json
RUN SPECLAB_DTYPE=float32 python -m core.models && rm -f /var/lib/speclab/cache/machine.json
VOLUME /var/lib/speclab/votes
EXPOSE 8501
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=4 \
    CMD ["python", "-m", "tools.healthy"]
STOPSIGNAL SIGTERM
CMD ["python", "-m", "ui.serve", "--server.address=0.0.0.0", "--server.port=8501"]

FROM packages-cuda AS cuda
# Read by NVIDIA's container runtime, which the host needs.
ENV NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    SPECLAB_DEVICE=cuda
COPY --chown=lab:lab . .
RUN mkdir -p /var/lib/speclab/cache /var/lib/speclab/votes /lab/static \
    && chown -R lab:lab /var/lib/speclab /lab/static
USER lab
ENV SPECLAB_CACHE=/var/lib/speclab/cache \
    SPECLAB_DATABASE=sqlite:////var/lib/speclab/votes/classroom.db \
    SPECLAB_THREADS=hosted \
    SPECLAB_LOG=json
# There is no GPU while an image is built: converting needs none.
RUN SPECLAB_DEVICE=cpu SPECLAB_DTYPE=float32 python -m core.models && rm -f /var/lib/speclab/cache/machine.json
VOLUME /var/lib/speclab/votes
EXPOSE 8501
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
    CMD ["python", "-m", "tools.healthy"]
STOPSIGNAL SIGTERM
CMD ["python", "-m", "ui.serve", "--server.address=0.0.0.0", "--server.port=8501"]
