import { sql, type KyselyPlugin } from 'kysely'

/** A node of a plan, as in `explain (analyze, format json)`. */
export interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** Explains the queries of a table instead of reading its rows; adds their plans to `plans`. */
export function explaining(table: string, plans: Plan[]): KyselyPlugin {
  const explained = new WeakSet<object>()
  return {
    transformQuery({ node, queryId }) {
      if (!JSON.stringify(node).includes(table)) return node
      explained.add(queryId)
      const raw = sql`explain (analyze, format json) ${{ toOperationNode: () => node }}`
      return raw.toOperationNode()
    },
    async transformResult({ result, queryId }) {
      if (!explained.has(queryId)) return result
      const [row] = result.rows as { 'QUERY PLAN': { Plan: Plan }[] }[]
      const [answer] = row?.['QUERY PLAN'] ?? []
      if (answer) plans.push(answer.Plan)
      return { ...result, rows: [] }
    },
  }
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** The nodes that read tables with a name prefix. */
export const readsOf = (plans: readonly Plan[], table: string): Plan[] =>
  plans.flatMap(nodesOf).filter((node) => node['Relation Name']?.startsWith(table))

/** How many rows a node has read, including those that it filtered out. */
export const rowsRead = (node: Plan): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
