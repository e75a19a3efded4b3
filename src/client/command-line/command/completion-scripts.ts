/**
 * What a shell loads. Each script asks `caseworker complete` for the candidates, as lines of a value, a tab and a
 * summary; where there are none, the shell completes files.
 */
export const COMPLETION_SCRIPTS = {
  bash: `_caseworker() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(caseworker complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -o default -F _caseworker caseworker
`,
  zsh: `#compdef caseworker
_caseworker() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(caseworker complete -- "\${(@)words[2,CURRENT]}" 2> /dev/null)
  if (( \${#found} )); then _describe caseworker found; else _files; fi
}
compdef _caseworker caseworker
`,
  fish: `function __caseworker_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (caseworker complete -- $words[2..-1] 2> /dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c caseworker -f -a '(__caseworker_complete)'
`,
} as const

export type Shell = keyof typeof COMPLETION_SCRIPTS
export const SHELLS = Object.keys(COMPLETION_SCRIPTS) as Shell[]
