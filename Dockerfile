# One image for every process of Memlane; docker-compose.yml says which one a container runs.
FROM python:3.11.14-slim-bookworm

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    OPENBLAS_NUM_THREADS=1 \
    PATH=/app/.venv/bin:$PATH

# The ids are fixed, so that a volume keeps its owner from one image to the next.
RUN groupadd --gid 10001 memlane && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin memlane

WORKDIR /app
# Before the code: a change of the code alone installs nothing again.
COPY requirements.lock ./
RUN python -m venv .venv \
    && .venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
COPY . .
RUN .venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation --no-index \
        -e . -e ./client \
    && install -d -o memlane -g memlane -m 0700 /data /run/memlane

USER memlane
ENV MEMLANE_DATA_DIR=/data
CMD ["python", "-m", "api"]
