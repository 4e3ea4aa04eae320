/**
 * Instructions by their proper names, with the class they belong to: `iso` from ISO/IEC 7816-4,
 * `gp` from the GlobalPlatform Card Specification 2.3.1, chapter 11 and appendix D and E, and Amendment F.
 */
const names = {
  iso: {
    '04': 'DEACTIVATE FILE',
    '20': 'VERIFY',
    '22': 'MANAGE SECURITY ENVIRONMENT',
    '24': 'CHANGE REFERENCE DATA',
    '2A': 'PERFORM SECURITY OPERATION',
    '2C': 'RESET RETRY COUNTER',
    '44': 'ACTIVATE FILE',
    '70': 'MANAGE CHANNEL',
    '82': 'EXTERNAL AUTHENTICATE',
    '84': 'GET CHALLENGE',
    '86': 'GENERAL AUTHENTICATE',
    '87': 'GENERAL AUTHENTICATE',
    '88': 'INTERNAL AUTHENTICATE',
    A4: 'SELECT',
    B0: 'READ BINARY',
    B2: 'READ RECORD',
    C0: 'GET RESPONSE',
    CA: 'GET DATA',
    CB: 'GET DATA',
    D6: 'UPDATE BINARY',
    DA: 'PUT DATA',
    DC: 'UPDATE RECORD',
    E2: 'STORE DATA',
  },
  gp: {
    '2A': 'PERFORM SECURITY OPERATION',
    '50': 'INITIALIZE UPDATE',
    '78': 'END R-MAC SESSION',
    '7A': 'BEGIN R-MAC SESSION',
    '82': 'EXTERNAL AUTHENTICATE',
    '88': 'INTERNAL AUTHENTICATE',
    CA: 'GET DATA',
    CB: 'GET DATA',
    D8: 'PUT KEY',
    E2: 'STORE DATA',
    E4: 'DELETE',
    E6: 'INSTALL',
    E8: 'LOAD',
    F0: 'SET STATUS',
    F2: 'GET STATUS',
  },
} as const

/** The name of an instruction in its class, if known. */
export function commandName(cla: number, ins: number): string | undefined {
  const known: Partial<Record<string, string>> = (cla & 0x80) === 0 ? names.iso : names.gp
  return known[ins.toString(16).toUpperCase().padStart(2, '0')]
}

/** What INSTALL does: the bits of P1 (GlobalPlatform 2.3.1, table 11-41). */
export function installPurpose(p1: number): string | undefined {
  const purposes = [
    [0x40, 'registry update'],
    [0x20, 'personalization'],
    [0x10, 'extradition'],
    [0x08, 'make selectable'],
    [0x04, 'install'],
    [0x02, 'load'],
  ] as const
  const text = purposes.flatMap(([bit, name]) => ((p1 & bit) === 0 ? [] : [name])).reverse()
  return text.length === 0 ? undefined : text.join(', ')
}
