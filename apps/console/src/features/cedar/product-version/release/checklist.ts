import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { missingLocales } from '../../parts/titles.ts'
import { stateOf, stepNames, type StepName, type StepState } from './steps.ts'

export interface ChecklistItem {
  name: 'icon' | 'titles' | 'version' | StepName
  state: StepState
}

/**
 * The version whose release an app is working on: the newest, unless it was live already, as it is
 * after a rollback.
 */
export const versionInWork = ({ newestVersion, liveVersion }: Product): Product['newestVersion'] =>
  newestVersion?.state === 'previous' ? (liveVersion ?? newestVersion) : newestVersion

/** Everything between a new app and a live one, in order; facts alone decide what is done. */
export const checklistOf = (
  product: Pick<Product, 'iconUrl' | 'translations'>,
  version: ProductVersion | undefined,
): ChecklistItem[] => [
  { name: 'icon', state: product.iconUrl === null ? 'recommended' : 'done' },
  {
    name: 'titles',
    state: missingLocales(product.translations).length > 0 ? 'recommended' : 'done',
  },
  { name: 'version', state: version ? 'done' : 'todo' },
  ...stepNames.map((name): ChecklistItem => ({
    name,
    state: version ? stateOf(version, name) : 'todo',
  })),
]
