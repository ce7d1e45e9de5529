/**
 * Tells quickly that a value has no property which its schema does not name.
 *
 * Effect's strict decoding costs several times its plain decoding. Where a value has nothing in excess both give the
 * same, so that the plain one does. `false` only means that it is not certain: then strict decoding has to say.
 */
import type * as SchemaAST from "effect/SchemaAST"

type Clean = (value: unknown) => boolean

const certain: Clean = () => true
const uncertain: Clean = () => false

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isComposite = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Objects" || ast._tag === "Arrays" || ast._tag === "Union" || ast._tag === "Suspend"

export const make = (root: SchemaAST.AST): Clean => {
  const known = new Map<SchemaAST.AST, Clean>()

  const of = (ast: SchemaAST.AST): Clean => {
    let clean = known.get(ast)
    if (clean === undefined) known.set(ast, clean = compile(ast))
    return clean
  }

  const compile = (ast: SchemaAST.AST): Clean => {
    const { encoding } = ast
    if (encoding !== undefined) {
      // What a transformation makes is checked for excess again, out of sight of the value that was sent.
      const between = [ast, ...encoding.slice(0, -1).map((link) => link.to)]
      return between.some(isComposite) ? uncertain : of(encoding.at(-1)!.to)
    }
    switch (ast._tag) {
      case "Objects":
        return objects(ast)
      case "Arrays":
        return arrays(ast)
      case "Union": {
        const members = ast.types.map(of).filter((clean) => clean !== certain)
        // Of several members that name properties it is not known which one the value is for.
        return members.length === 0 ? certain : members.length === 1 ? members[0]! : uncertain
      }
      case "Suspend": {
        // Not before it is asked: what it stands for leads back here.
        let clean: Clean | undefined
        return (value) => (clean ??= of(ast.thunk()))(value)
      }
      default:
        return certain
    }
  }

  const objects = (ast: SchemaAST.Objects): Clean => {
    const fields = new Map(ast.propertySignatures.map(({ name, type }) => [name, of(type)] as const))
    const [index, ...more] = ast.indexSignatures
    if (index === undefined) {
      if (fields.size === 0) return certain
      return (value) => {
        if (!isObject(value)) return true
        for (const key in value) {
          const clean = fields.get(key)
          if (clean === undefined || !clean(value[key])) return false
        }
        return true
      }
    }
    const { parameter, type } = index
    const isEveryKey = parameter._tag === "String" && parameter.checks === undefined &&
      parameter.encoding === undefined
    if (more.length > 0 || !isEveryKey) return uncertain
    const other = of(type)
    return (value) => {
      if (!isObject(value)) return true
      for (const key in value) {
        if (!other(value[key]) || fields.get(key)?.(value[key]) === false) return false
      }
      return true
    }
  }

  const arrays = (ast: SchemaAST.Arrays): Clean => {
    const elements = ast.elements.map(of)
    const [rest, ...more] = ast.rest.map(of)
    if (more.length > 0) return uncertain
    if (elements.every((clean) => clean === certain) && (rest === undefined || rest === certain)) return certain
    return (value) => !Array.isArray(value) || value.every((item, i) => (elements[i] ?? rest ?? certain)(item))
  }

  const clean = of(root)
  return (value) => {
    try {
      return clean(value)
    } catch {
      // Nested deeper than the stack is high: strict decoding will say so.
      return false
    }
  }
}
