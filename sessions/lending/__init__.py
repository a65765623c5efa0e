"""The memory lent to other agents: as an MCP server, and registered with them."""
