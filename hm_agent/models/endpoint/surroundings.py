"""Checks what the environment says of the way to an endpoint: proxies and certificates."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from hm_agent.config import ConfigError

LOOPBACK = ("localhost", "127.0.0.1", "::1")
SOCKS = ("socks5", "socks5h")
CERTIFICATES: Mapping[str, str] = {"SSL_CERT_FILE": "cafile", "SSL_CERT_DIR": "capath"}
"""The variables that replace the system's certificates, and how `ssl` calls what they name."""


def proxy_for(url: str) -> str | None:
    """The variable and address of the proxy that requests to a URL go through, without its password; None without."""
    parts, proxies = urlsplit(url), getproxies()
    if proxy_bypass(parts.netloc.rpartition("@")[2]) or _bypassed(parts.hostname, proxies):
        return None
    kind = next((kind for kind in (parts.scheme, "all") if proxies.get(kind)), None)
    return None if kind is None else f"{kind.upper()}_PROXY={_shown(proxies[kind])}"


def _bypassed(host: str | None, proxies: Mapping[str, str]) -> bool:
    return host is not None and host in (name.strip(" []") for name in proxies.get("no", "").split(","))


def _shown(proxy: str) -> str:
    """A proxy's address without name and password."""
    scheme, _, address = proxy.rpartition("://")
    return (f"{scheme}://" if scheme else "") + address.rpartition("@")[2]


def check_surroundings(url: str) -> None:
    """Raises ConfigError for a variable of the environment with which no request to the URL can be sent.

    All proxies are checked, since the client opens all of them.
    """
    for kind, proxy in getproxies().items():
        if kind in ("http", "https", "all") and proxy:
            _check_proxy(f"{kind.upper()}_PROXY={_shown(proxy)}", proxy)
    if is_on_this_machine(url) and (named := proxy_for(url)) and not is_on_this_machine(named.partition("=")[2]):
        raise ConfigError(
            f"{named} stands between here and --base_url={urlsplit(url).netloc.rpartition('@')[2]}, which is on this "
            f"machine: set NO_PROXY={','.join(LOOPBACK)}"
        )
    for variable, argument in CERTIFICATES.items():
        if path := os.environ.get(variable):
            _check_certificates(f"{variable}={path}", {argument: path})
            return  # the client reads the first alone


def is_on_this_machine(address: str) -> bool:
    """True if the host of a URL, or of an address without a scheme, is this machine's own."""
    try:
        host = urlsplit(address if "://" in address else f"http://{address}").hostname or ""
        return host == LOOPBACK[0] or ip_address(host).is_loopback
    except ValueError:
        return False


def _check_proxy(named: str, proxy: str) -> None:
    scheme = _scheme_of_proxy(proxy)
    if scheme is None:
        raise ConfigError(f"{named} of the environment is no proxy: it looks like http://localhost:3128")
    if scheme in SOCKS and find_spec("socksio") is None:
        raise ConfigError(f"{named} of the environment needs the package socksio: pip install socksio, or unset it")


def _scheme_of_proxy(proxy: str) -> str | None:
    try:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        is_address = parts.scheme in ("http", "https", *SOCKS) and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts.scheme if is_address else None


def _check_certificates(named: str, arguments: Mapping[str, str]) -> None:
    path = next(iter(arguments.values()))
    try:
        Path(path).stat()
        ssl.create_default_context(cafile=arguments.get("cafile"), capath=arguments.get("capath"))
    except OSError as error:  # ssl.SSLError is one
        raise ConfigError(f"{named} of the environment: {error.strerror or error}; mend it, or unset it") from None
