"""Celery: the app, the queues, thin tasks."""
