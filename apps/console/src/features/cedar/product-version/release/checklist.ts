import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { missingLocales } from '../../parts/titles.ts'
import { stateOf, stepNames, type StepName, type StepState } from './steps.ts'

export interface ChecklistItem {
  name: 'icon' | 'titles' | 'version' | StepName
  state: StepState
}

/** The version to be released next: the newest, unless it has already been live, as after a rollback. */
export const versionInWork = ({ newestVersion, liveVersion }: Product): Product['newestVersion'] =>
  newestVersion?.state === 'previous' ? (liveVersion ?? newestVersion) : newestVersion

/** Every step from a new app to a live one, in order; only facts decide which are done. */
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
