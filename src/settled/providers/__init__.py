"""Level 4: model services behind one protocol. This release has the protocol; the services come next."""
