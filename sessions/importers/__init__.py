"""Sessions and memories of other agents: found, read, and made records of ours. Their files are never written."""
