# SPDX-License-Identifier: MIT
# fish completion for a program of hprof, by what its --help says.

function __hprof_complete --argument-names program
    set -l option '^ {2,6}-?([[:alnum:]]|)(?:, | *)--([a-z-]+)(?:\[=[A-Z]+\]|) ?([^ ]+|)(?: +|)(.*)$'
    # Lines that end in "|" go on in the next one.
    for line in ($program --help 2>/dev/null |
            sed -e ':a' -e '/|$/{' -e N -e 's/|\n */|/' -e ba -e '}')
        set -l part (string match --regex -- $option $line)
        or continue
        set -l spec --command $program --long-option $part[3] --description "$part[5]"
        test -n "$part[2]"
        and set --append spec --short-option $part[2]
        switch "$part[4]"
            case ''
            case FILE PATH DIR MAP
                set --append spec --require-parameter --force-files
            case '*|*'
                set --append spec --exclusive
                string match --quiet --regex '[A-Z]' -- $part[4]
                or set --append spec --arguments (string replace --all '|' ' ' -- $part[4])
            case '*'
                set --append spec --exclusive
        end
        complete $spec
    end
    if string match --quiet '*... PID*' -- ($program --help 2>/dev/null)[1]
        complete --command $program --no-files --arguments '(pgrep -x java)'
    end
end

__hprof_complete PROGRAM
