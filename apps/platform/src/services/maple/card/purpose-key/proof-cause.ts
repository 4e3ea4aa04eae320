import type { Proof } from './delegation.ts'

/** What receipts prove on one card, as one code with its values; undefined without receipts. */
export function causeOfProofs(proofs: readonly Proof[]): string | undefined {
  const wrong =
    proofs.find(({ code }) => code === 'receipt_wrong') ??
    proofs.find(({ code }) => code === 'receipt_unchecked')
  if (wrong) return `${wrong.code} ${wrong.params['aid'] ?? ''}`.trim()
  return proofs.length > 0 ? `receipts_valid ${proofs.length}` : undefined
}
