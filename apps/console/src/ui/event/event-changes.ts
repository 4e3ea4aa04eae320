export interface ValueChange {
  /** The path of the value, such as `translations.0.title`; empty for the whole. */
  path: string
  before: string | undefined
  after: string | undefined
}

/** The differences between two JSON values, each as text with its path. */
export function changesOf(before: unknown, after: unknown): ValueChange[] {
  const [old, now] = [leavesOf(before), leavesOf(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((path) => ({ path, before: old.get(path), after: now.get(path) }))
    .filter((change) => change.before !== change.after)
}

function leavesOf(value: unknown, path = '', found = new Map<string, string>()) {
  if (value === null || value === undefined) {
    // A missing value and null differ only if the other side has one.
    if (value === null && path !== '') found.set(path, 'null')
  } else if (typeof value === 'object') {
    for (const [name, child] of Object.entries(value))
      leavesOf(child, path === '' ? name : `${path}.${name}`, found)
  } else found.set(path, typeof value === 'string' ? value : JSON.stringify(value))
  return found
}
