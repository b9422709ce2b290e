"""Completion of the command line in bash and zsh: a script with all present commands, flags and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from absl.flags import EnumParser

from hm_agent.catalogue.registry import agent_names, scenarios
from hm_agent.command_line.flags import FLAGS
from hm_agent.models.settings import BUILTIN

SHELLS = ("bash", "zsh")
_SCRIPT = """# Completion of hm-agent: eval "$(hm-agent completion {shell})" in ~/.{shell}rc
_hm_agent() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" words flag=
  if [ "$word" = "=" ]; then word=; flag="${{COMP_WORDS[COMP_CWORD-1]}}"
  elif [ "${{COMP_WORDS[COMP_CWORD-1]}}" = "=" ]; then flag="${{COMP_WORDS[COMP_CWORD-2]}}"
  elif [[ "$word" == --*=* ]]; then flag="${{word%%=*}}"; word="${{word#*=}}"
  fi
  local before=
  if [ -n "$flag" ] && [[ "$word" == *,* ]]; then before="${{word%,*}},"; word="${{word##*,}}"; fi
  if [ -n "$flag" ]; then
    case "$flag" in
{values}
    *) return ;;
    esac
  elif [ "$COMP_CWORD" = 1 ]; then words="{commands}"
  else
    case "${{COMP_WORDS[1]}}" in
{flags}
    esac
    [[ "$word" == --* || -z "$word" ]] && compopt -o nospace 2>/dev/null
  fi
  COMPREPLY=($(compgen -P "$before" -W "$words" -- "$word"))
}}
complete -o default -F _hm_agent hm-agent
"""
_FOR_ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"


def script(shell: str, commands: Sequence[str], typed: Mapping[str, Sequence[str]]) -> str:
    """Returns the script for a shell. typed: by command, its flags as they are typed."""
    by_flag = [f'    --{flag}) words="{" ".join(names)}" ;;' for flag, names in _values().items() if names]
    by_command = [f'    {command}) words="{" ".join(names)}" ;;' for command, names in typed.items()]
    completion = _SCRIPT.format(
        shell=shell, commands=" ".join(commands), values="\n".join(by_flag), flags="\n".join(by_command)
    )
    return completion if shell == "bash" else _FOR_ZSH + completion


def _values() -> Mapping[str, Sequence[str]]:
    """The names that can be given, by flag, for flags with a fixed choice of names."""
    parsers = {name: FLAGS[name].parser for name in FLAGS}
    choices = {name: list(one.enum_values) for name, one in parsers.items() if isinstance(one, EnumParser)}
    names, agents = [scenario.short_name for scenario in scenarios().values()], agent_names()
    return {**choices, "scenario": names, "agent": agents, "seats": agents, "model": [BUILTIN, "local:smollm2"]}
