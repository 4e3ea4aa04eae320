import { parse } from '@babel/parser'
import type { Comment, Node, Statement, TSType, TSTypeElement } from '@babel/types'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** An export of a package entry, as in its source. */
export interface Exported {
  name: string
  /** Its docstring, one line of Markdown per paragraph; '' if there is none. */
  doc: string
  /** The declaration, without a body. */
  code: string
  /** The interfaces that it extends. */
  bases: string[]
  isType: boolean
  declaration: Statement
  source: string
}

export interface Member {
  name: string
  type: string
  doc: string
  /** What it rejects with, one way a line (`@throws`). */
  throws: string[]
  /** TypeScript (`@example`); '' if there is none. */
  example: string
}

/** Resolves the named exports of a file to their declarations. There is no `export *` to follow. */
export function readExports(file: string): Exported[] {
  const source = readFileSync(file, 'utf8')
  const { program } = parse(source, { sourceType: 'module', plugins: ['typescript', 'jsx'] })
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return []
    const { declaration } = statement
    if (declaration) {
      const doc = docOf(statement)
      const isType = declaration.type.startsWith('TS')
      const code = codeOf(source, declaration, program.body)
      const bases = basesOf(source, declaration)
      return [{ name: nameOf(declaration), doc, code, bases, isType, declaration, source }]
    }
    if (!statement.source) return []
    const names = statement.specifiers.map(({ exported }) => nameOf(exported))
    const found = readExports(join(dirname(file), statement.source.value))
    return names.map((name) => {
      const one = found.find((each) => each.name === name)
      if (!one) throw new Error(`${file} exports ${name}, which ${statement.source?.value} lacks.`)
      return { ...one, isType: one.isType || statement.exportKind === 'type' }
    })
  })
}

/** The members of an interface or a class; those of a nested object by their path. */
export function membersOf({ declaration, source }: Exported): Member[] {
  if (declaration.type === 'TSInterfaceDeclaration')
    return declaration.body.body.flatMap((member) => memberOf(source, member))
  if (declaration.type !== 'ClassDeclaration') return []
  return declaration.body.body.flatMap((member) =>
    // Classes here use `declare` for what the constructor sets.
    member.type === 'ClassProperty' && member.declare
      ? [{ name: nameOf(member.key), type: typeText(source, member), ...docsOf(member) }]
      : [],
  )
}

function basesOf(source: string, declaration: Statement): string[] {
  if (declaration.type !== 'TSInterfaceDeclaration') return []
  return (declaration.extends ?? []).map((base) => textOf(source, base))
}

function memberOf(source: string, member: TSTypeElement, path = ''): Member[] {
  if (member.type === 'TSMethodSignature') {
    const name = path + nameOf(member.key)
    return [{ name, type: textOf(source, member).replaceAll('\n', ' '), ...docsOf(member) }]
  }
  if (member.type !== 'TSPropertySignature') return []
  const name = path + nameOf(member.key)
  const type = member.typeAnnotation?.typeAnnotation
  if (type?.type === 'TSTypeLiteral')
    return type.members.flatMap((inner) => memberOf(source, inner, `${name}.`))
  const optional = member.optional ? '?' : ''
  return [{ name: name + optional, type: typeText(source, member), ...docsOf(member) }]
}

function typeText(source: string, { typeAnnotation }: { typeAnnotation?: Node | null }): string {
  const type = (typeAnnotation as { typeAnnotation?: TSType } | null)?.typeAnnotation
  return type
    ? textOf(source, type).replace(/\s+/g, ' ').replace('( ', '(').replace(', )', ')')
    : ''
}

/** A declaration up to its body, preceded by the private declarations of its file that it needs. */
function codeOf(source: string, declaration: Statement, all: readonly Statement[]): string {
  if (declaration.type === 'FunctionDeclaration')
    return source
      .slice(declaration.start ?? 0, declaration.body.start ?? 0)
      .replace(/^async /, '')
      .trimEnd()
  const own = textOf(source, declaration)
  const needed = all.filter(
    (one) =>
      ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'].includes(one.type) &&
      new RegExp(`\\b${nameOf(one)}\\b`).test(own),
  )
  return [...needed.map((one) => textOf(source, one)), own].join('\n\n')
}

const textOf = (source: string, { start, end }: Node) => source.slice(start ?? 0, end ?? 0)

function nameOf(node: object): string {
  const { id, name, value } = node as { id?: { name: string }; name?: string; value?: string }
  return id?.name ?? name ?? value ?? ''
}

const docOf = (node: Commented) => docsOf(node).doc

interface Commented {
  leadingComments?: Comment[] | null
}

/** A docstring without its stars: its paragraphs, each one line, and its tags. */
function docsOf({ leadingComments }: Commented): Omit<Member, 'name' | 'type'> {
  const last = leadingComments?.at(-1)
  if (last?.type !== 'CommentBlock' || !last.value.startsWith('*'))
    return { doc: '', throws: [], example: '' }
  const lines = last.value
    .slice(1)
    .replace(/^[ \t]*\* ?/gm, '')
    .trim()
  const [prose = '', ...tags] = lines.split(/^@(?=throws |example\n)/m)
  const of = (tag: string) =>
    tags.filter((each) => each.startsWith(tag)).map((each) => each.slice(tag.length).trim())
  return {
    doc: joined(prose.trim()),
    throws: of('throws ').map(joined),
    example: of('example\n').join('\n\n'),
  }
}

const joined = (text: string) => text.replace(/(?<!\n)\n(?!\n)/g, ' ')
