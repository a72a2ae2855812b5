__version__ = "0.0.dev0"  # a wheel has that of its program
