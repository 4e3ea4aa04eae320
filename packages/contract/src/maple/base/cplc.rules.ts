/** A CPLC or a part of it, as people paste it: with spaces, in any case, as a raw reply. */
export const maxCplcTextLength = 300
