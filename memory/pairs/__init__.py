"""Compares two statements of a memory by rules: is one the other again, or in its place?"""
