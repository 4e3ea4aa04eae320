import type { AnyActor } from './actor.ts'
import { ProblemError, type ProblemCode } from './http/problem.ts'

/** Why an action is currently not allowed: the problem that its call returns. */
export interface Refusal<Code extends ProblemCode = ProblemCode> {
  code: Code
  /** What is wrong and what to do. */
  detail: string
}

export const refusal = <Code extends ProblemCode>(code: Code, detail: string): Refusal<Code> => ({
  code,
  detail,
})

/**
 * A rule returns null if the action is allowed. It reads the object and, if it matters, the actor.
 */
type Rule = (object: never, actor: AnyActor) => Refusal | null

type ObjectOf<R extends Rule> = Parameters<R>[0]
type RefusalOf<R extends Rule> = NonNullable<ReturnType<R>>

/**
 * The rules of a service: one table, which the service enforces and sends with its objects, so that a
 * disabled control can show the reason.
 *
 *     const { can, assertAllowed, rightsOf } = definePolicy({
 *       'tree.fell': (tree: Tree) =>
 *         tree.isProtected ? refusal('forbidden', 'A protected tree stays.') : null,
 *     })
 *     assertAllowed(actor, 'tree.fell', tree)
 *     const rights = rightsOf(actor, tree, { fell: 'tree.fell' })  // { fell: 'forbidden' }
 */
export function definePolicy<Rules extends Record<string, Rule>>(rules: Rules) {
  /** Null if the actor may do it to the object now. */
  function can<Action extends keyof Rules & string>(
    actor: AnyActor,
    action: Action,
    object: ObjectOf<Rules[Action]>,
  ): RefusalOf<Rules[Action]> | null {
    const rule = rules[action]
    if (!rule) throw new Error(`No rule allows the action ${action}.`)
    return rule(object, actor) as RefusalOf<Rules[Action]> | null
  }

  /** @throws ProblemError of the refusal. */
  function assertAllowed<Action extends keyof Rules & string>(
    actor: AnyActor,
    action: Action,
    object: ObjectOf<Rules[Action]>,
  ): void {
    const refused = can(actor, action, object)
    if (refused) throw new ProblemError(refused.code, refused.detail)
  }

  /** The code of each refusal, under the names of the contract; null if allowed. */
  function rightsOf<const Names extends Record<string, keyof Rules & string>>(
    actor: AnyActor,
    object: ObjectOf<Rules[Names[keyof Names]]>,
    names: Names,
  ): { [Name in keyof Names]: RefusalOf<Rules[Names[Name]]>['code'] | null } {
    return Object.fromEntries(
      Object.entries(names).map(([name, action]) => [
        name,
        can(actor, action, object)?.code ?? null,
      ]),
    ) as { [Name in keyof Names]: RefusalOf<Rules[Names[Name]]>['code'] | null }
  }

  return { can, assertAllowed, rightsOf }
}

/** An object as its event stores it: rights belong to the moment and the reader. */
export function withoutRights<T extends { rights: unknown }>(object: T): Omit<T, 'rights'> {
  const { rights: _, ...facts } = object
  return facts
}
