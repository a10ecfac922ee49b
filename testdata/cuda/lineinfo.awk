# Keeps of nvcc's line information what names the source itself: code inlined from the compiler's own
# headers is attributed to the line that calls it, so that `.file` names only files of this folder.
# Read the file twice: awk -v source=NAME.cu -f lineinfo.awk FILE FILE

# First pass: the number of our own file, and the names that its own inlined functions use.
NR == FNR && $1 == ".file" && base($3) == source { own = $2 }
NR == FNR && $1 == ".loc" {
  locs[NR] = $0
  next
}
NR == FNR { next }

FNR == 1 {
  for (line in locs)
    if (split(locs[line], f) && f[2] == own && match(locs[line], /\$L__info_string[0-9]+/))
      used[substr(locs[line], RSTART, RLENGTH)] = 1
}

$1 == ".file" {
  if ($2 == own) {
    print "\t.file\t1 \"" source "\""
  }
  next
}
$1 == ".loc" {
  loc = resolve($0)
  if (loc != "" && loc != last)
    print loc
  last = loc
  next
}

# The strings of dropped function names go, and so does a section that keeps none.
/^\t\.section\t\.debug_str/ {
  section = $0
  next
}
section != "" && $0 == "\t{" { next }
/^\$L__info_string[0-9]+:/ {
  label = $0
  sub(/:.*/, "", label)
  keep = label in used
  if (keep && section != "opened") {
    print section "\n\t{"
    section = "opened"
  }
  if (keep)
    print
  next
}
section != "" && /^\.b8/ {
  if (keep)
    print nameless($0)
  next
}
section != "" && $0 ~ /^\t}/ {
  if (section == "opened")
    print
  section = ""
  next
}
{
  last = ""
  print
}

function base(path) {
  gsub(/"/, "", path)
  sub(/.*\//, "", path)
  return path
}

# Symbols of internal linkage hold a hash of the path of the source, behind _INTERNAL_: eight digits, which become zeros.
function nameless(line,    mark, at, n, i, codes) {
  mark = "95,73,78,84,69,82,78,65,76,95,"
  at = index(line, mark)
  if (!at)
    return line
  n = split(substr(line, at + length(mark)), codes, ",")
  line = substr(line, 1, at + length(mark) - 2)
  for (i = 1; i <= n; i++)
    line = line "," (i <= 8 ? 48 : codes[i])
  return line
}

# A line of another file becomes the line it is inlined at, as that was last given, or nothing.
function resolve(line,    f, n, site) {
  n = split(line, f)
  if (f[2] == own) {
    sub(/\.loc\t[0-9]+ /, ".loc\t1 ", line)
    given[f[3] " " f[4] + 0] = line
    return relocate(line)
  }
  if (n < 6 || f[n - 2] != own)
    return ""
  site = f[n - 1] " " f[n]
  return site in given ? relocate(given[site]) : "\t.loc\t1 " site
}

# The site after inlined_at names our file too.
function relocate(line) {
  sub(/inlined_at [0-9]+ /, "inlined_at 1 ", line)
  return line
}
