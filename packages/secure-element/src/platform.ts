/**
 * Returns the first ten bytes of a normalised CPLC: fabricator, type and operating system with its
 * release. All chips of one platform share them.
 */
export const platformPrefix = (cplc: string): string => cplc.slice(0, 20)

// fidesmo/fdsm, FidesmoCard.java.
const platforms: Record<string, string> = {
  '47905168479112103800': 'JCOP 2.4.2 R1',
  '47905075479120813B00': 'JCOP 2.4.2 R2',
  '47906B644700E4D80300': 'JCOP 3 EMV',
  '47900503821163510302': 'JCOP 3 SecID CS',
  '475000B8475072485431': 'ST31',
}

/** Returns the name of the platform of a normalised CPLC, if known. */
export const platformName = (cplc: string): string | undefined => platforms[platformPrefix(cplc)]
