import {
  deviceSeen,
  maxTerms,
  parseConditions,
  type DeviceSeen,
} from '@grove/contract/maple/fleet/device.rules'
import { useLingui } from '@lingui/react/macro'
import type { FieldTexts } from '../../../../ui/form/form-values.ts'
import type { GroupRule } from './group.labels.tsx'

/** A rule as the form holds it: no choice is an empty text. */
export interface RuleValues {
  productId: string
  serviceId: string
  types: string[]
  states: string[]
  seen: DeviceSeen | ''
  tag: string
  attribute: string
  /** Conditions that only the API can set; they stay unchanged. */
  others: Pick<GroupRule, 'createdOn' | 'importId'>
}

export const noRule: RuleValues = {
  productId: '',
  serviceId: '',
  types: [],
  states: [],
  seen: '',
  tag: '',
  attribute: '',
  others: {},
}

export function ruleValues(rule: GroupRule | null): RuleValues {
  if (!rule) return noRule
  const { type, state, seen, createdOn, importId, ...texts } = rule
  return {
    ...noRule,
    ...texts,
    types: type?.split(',') ?? [],
    states: state?.split(',') ?? [],
    seen: deviceSeen.find((each) => each === seen) ?? '',
    others: {
      ...(createdOn !== undefined && { createdOn }),
      ...(importId !== undefined && { importId }),
    },
  }
}

/** The rule, with only the conditions that are set. */
export function ruleOf(values: RuleValues): GroupRule {
  const { productId, serviceId, types, states, seen, tag, attribute, others } = values
  const type = types.join(',')
  const state = states.join(',')
  const all = { productId, serviceId, type, state, seen, tag, attribute, ...others }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value.trim() === '' ? [] : [[name, value.trim()]],
    ),
  )
}

/** What is wrong with a rule. */
export function useRuleProblems() {
  const { t } = useLingui()
  return (values: RuleValues): FieldTexts => {
    const conditions = parseConditions(values.attribute)
    const tags = values.tag.split(',').filter((tag) => tag.trim() !== '')
    const isEmpty = Object.keys(ruleOf(values)).length === 0
    return {
      tag: isEmpty
        ? t`Set at least one condition, such as a tag.`
        : tags.length + (conditions?.length ?? 0) > maxTerms
          ? t`A rule has at most ${maxTerms} tags and attributes together.`
          : undefined,
      attribute: conditions ? undefined : t`Write conditions such as site=North Hall,floor>=3.`,
    }
  }
}
