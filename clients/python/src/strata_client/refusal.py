import json


class Refusal(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, body: bytes, retry_after: str | None = None):
        self.status = status
        self.said = body.decode(errors="replace")
        # Seconds after which a retry may succeed; None when the server names none.
        self.retry_after = int(retry_after) if retry_after and retry_after.isdigit() else None
        try:
            parsed = json.loads(body)
        except ValueError:
            parsed = None
        if isinstance(parsed, dict):
            self.said = parsed.get("message") or parsed.get("error") or parsed.get("reason") or self.said
        super().__init__(f"the server answered {status}: {self.said}")
