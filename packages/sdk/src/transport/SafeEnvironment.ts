/**
 * The variables of this process's environment that any program may see.
 *
 * @since 0.1.0
 */

const names = new Set([
  // POSIX
  "HOME",
  "LANG",
  "LANGUAGE",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  // Windows
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "NUMBER_OF_PROCESSORS",
  "OS",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERDOMAIN",
  "USERNAME",
  "USERPROFILE",
  "WINDIR"
])

interface Host {
  readonly process?: { readonly env?: { readonly [name: string]: string | undefined } }
}

/**
 * Where programs and temporary files are, who the user is and what language he reads: what a program needs to run,
 * and no secret. Empty where the platform has no environment.
 *
 * @since 0.1.0
 * @category environment
 */
export const safeEnvironment = (): { [name: string]: string } => {
  const safe: { [name: string]: string } = {}
  for (const [name, value] of Object.entries((globalThis as Host).process?.env ?? {})) {
    // Windows writes `Path`, and compares without case.
    const upper = name.toUpperCase()
    // A value of this form is a shell function, which is code.
    if (value === undefined || value.startsWith("()")) continue
    if (names.has(upper) || upper.startsWith("LC_")) safe[name] = value
  }
  return safe
}
