"""What every part of Tallybook stands on: errors, output, progress, untrusted text."""
