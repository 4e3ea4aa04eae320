/** X.Y.Z as the platform takes it: no leading zeros, nine digits at most. */
export const isVersionNumber = (text: string) =>
  /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/.test(text)

export type VersionStep = 'patch' | 'minor' | 'major'

/** The numbers that may follow the newest version; 1.0.0 when there is none. */
export function nextVersions(newest: string | undefined): { step: VersionStep; version: string }[] {
  if (newest === undefined) return [{ step: 'major', version: '1.0.0' }]
  const [major = 0, minor = 0, patch = 0] = newest.split('.').map(Number)
  return [
    { step: 'patch', version: `${major}.${minor}.${patch + 1}` },
    { step: 'minor', version: `${major}.${minor + 1}.0` },
    { step: 'major', version: `${major + 1}.0.0` },
  ]
}

/** Whether a version number is higher than another. */
export function isHigher(version: string, than: string): boolean {
  const numbers = than.split('.').map(Number)
  const difference = version
    .split('.')
    .map((part, index) => Number(part) - (numbers[index] ?? 0))
    .find((part) => part !== 0)
  return difference !== undefined && difference > 0
}
