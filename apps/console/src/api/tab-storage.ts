// Lasts as long as the tab, or only as long as the page where storage is denied.
const memory = new Map<string, string>()

export const readTab = (key: string): string | undefined => {
  try {
    return sessionStorage.getItem(key) ?? memory.get(key)
  } catch {
    return memory.get(key)
  }
}

export function writeTab(key: string, value: string | undefined) {
  if (value === undefined) memory.delete(key)
  else memory.set(key, value)
  try {
    if (value === undefined) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, value)
  } catch {
    // It is still in memory.
  }
}
