"""What may be sent, by subject: every field of the dialect, typed, also those not used yet."""
