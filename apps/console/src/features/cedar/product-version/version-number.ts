export type VersionStep = 'patch' | 'minor' | 'major'

/** The numbers that may follow the newest version; 1.0.0 if there is none. */
export function nextVersions(newest: string | undefined): { step: VersionStep; version: string }[] {
  if (newest === undefined) return [{ step: 'major', version: '1.0.0' }]
  const [major = 0, minor = 0, patch = 0] = newest.split('.').map(Number)
  return [
    { step: 'patch', version: `${major}.${minor}.${patch + 1}` },
    { step: 'minor', version: `${major}.${minor + 1}.0` },
    { step: 'major', version: `${major + 1}.0.0` },
  ]
}
