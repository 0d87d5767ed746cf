"""Tables: layout of estimates as printed tables, and rendering of these in every format."""
