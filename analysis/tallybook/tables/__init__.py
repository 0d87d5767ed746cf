"""Tables: from estimates to what is printed, in every format."""
