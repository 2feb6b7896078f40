/**
 * Scripts that complete commands in a shell. They pass the typed words to `stele complete` on standard input, each
 * followed by NUL. Typed text is therefore never evaluated, is not visible to other users, and has no length
 * limit. Each script can be loaded repeatedly, and shows nothing if the command is missing or fails.
 */
export const SCRIPTS: Readonly<Record<string, string>> = {
  // `$2` is the part of the current word before the cursor. `return 0` prevents a status of 124, after which bash would
  // repeat the completion.
  bash: `_stele() {
  local out value
  COMPREPLY=()
  out=$(printf '%s\\0' "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$2" | stele complete 2>/dev/null) || return 0
  while IFS=$'\\t' read -r value _; do
    case $value in
      '') ;;
      :files) compopt -o default 2>/dev/null ;;
      *) COMPREPLY+=("$value") ;;
    esac
  done <<<"$out"
}
complete -F _stele stele`,

  // Works in ~/.zshrc and as a file named _stele in a folder of $fpath. `compinit -i` skips insecure folders without
  // asking.
  zsh: `#compdef stele
_stele() {
  local out line
  local -a found
  out=$(print -rN -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" | stele complete 2>/dev/null) || return
  if [[ $out == :files* ]]; then
    _files
    return
  fi
  for line in "\${(@f)out}"; do
    [[ -z $line ]] || found+=("\${line/$'\\t'/:}")
  done
  _describe stele found
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _stele "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _stele stele
fi`,

  // fish reports a missing command even if its errors are redirected, so the script checks first that it exists.
  fish: `function __stele_complete
    type -q stele; or return
    set -l words (commandline -opc)[2..-1] (commandline -ct)
    set -l lines (printf '%s\\0' $words | stele complete 2>/dev/null)
    or return
    if string match -q ':files*' -- $lines
        __fish_complete_path (commandline -ct)
    else
        printf '%s\\n' $lines
    end
end
complete -c stele -e
complete -c stele -f -a '(__stele_complete)'`,

  // PowerShell completes file names if a completer returns nothing.
  powershell: `Register-ArgumentCompleter -Native -CommandName stele -ScriptBlock {
    param($word, $line, $cursor)
    $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } |
        ForEach-Object { $_.Extent.Text }) + $word
    -join ($words | ForEach-Object { "$_\`0" }) | stele complete 2>$null | Where-Object { $_ -notlike ':files*' } |
        ForEach-Object {
            $value, $description = $_ -split "\`t", 2
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
        }
}`,
};
