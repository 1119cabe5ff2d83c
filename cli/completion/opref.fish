# SPDX-License-Identifier: Apache-2.0
# Completion of opref for fish; opref itself says what fits.
function __opref_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    for line in ($program completion --complete $words "$word" 2>/dev/null)
        if test "$line" = :files
            set -l head (string match -r '^.*=' -- "$word")
            set -l tail (string replace -r '^.*=' '' -- "$word")
            for path in (__fish_complete_path "$tail")
                printf '%s\n' "$head$path"
            end
        else
            printf '%s\n' "$line"
        end
    end
end
complete -c opref -f -a '(__opref_complete)'
