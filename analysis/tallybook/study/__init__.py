"""Study files: declaration, loading, changes by settings, and checks that report every fault with its line."""
