import type { CardContents } from './card-contents.ts'
import type { KnownElement } from './known-element.queries.ts'
import type { TargetFacts } from './plan-operation.ts'
import { contentsOfState } from './state-contents.ts'

/** Grove's records of an element and its card; for a software card, its current state. */
export async function knowledgeOf({
  state,
  hasKeys,
  isBusy,
  card,
  contents,
}: KnownElement): Promise<{ facts: TargetFacts; contents: CardContents | undefined }> {
  const isVirtual = card !== null
  return {
    facts: { state, isVirtual, hasKeys: hasKeys || isVirtual, isBusy, packages: card?.packages },
    contents: card ? await contentsOfState(card) : (contents ?? undefined),
  }
}
