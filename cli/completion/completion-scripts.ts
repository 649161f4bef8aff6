/**
 * The scripts that complete words in shells. They pass what is typed on as arguments: nothing of it may ever be
 * evaluated, since a person presses TAB before it is decided that a line is run. Where the program knows no word, names
 * of files are completed.
 */
export const completionScripts = {
  bash: `# bash completion for callplane
_callplane() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("\${line%%$'\\t'*}")
    done < <(callplane complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _callplane callplane
`,
  zsh: `#compdef callplane
# zsh completion for callplane
_callplane() {
    local line
    local -a found
    while IFS= read -r line; do
        found+=("\${\${line//:/\\\\:}/$'\\t'/:}")
    done < <(callplane complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( \${#found} )); then
        _describe callplane found
    else
        _files
    fi
}
if [[ "\${funcstack[1]}" == _callplane ]]; then
    _callplane "$@"
else
    compdef _callplane callplane
fi
`,
  fish: `# fish completion for callplane
function __callplane_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    callplane complete -- $words[2..-1] "$last" 2>/dev/null | string match '*'
    or __fish_complete_path "$last"
end
complete -c callplane -e
complete -c callplane -f -a '(__callplane_complete)'
`,
} as const
