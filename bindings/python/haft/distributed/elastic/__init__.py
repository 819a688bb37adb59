"""What programs that haft-run starts again ask for. The launcher itself is haft-run."""
