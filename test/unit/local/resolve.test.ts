import { describe, expect, it } from 'vitest'
import { type Scope, noValue, resolve } from '../../../packages/laptop/assembly/resolve.ts'

const scope: Scope = {
  ref: (name) => (name === 'AWS::NoValue' ? noValue : `ref(${name})`),
  attribute: (logicalId, attribute) => `${logicalId}/${attribute}`,
  exported: (name) => `exported(${name})`,
  stackOutput: (stackName, output) => `${stackName}>${output}`,
  condition: (name) => name === 'Yes',
  mapped: (map, key, name) => `${map}:${key}:${name}`,
}

describe('resolve', () => {
  it.each([
    ['text', 'plain', 'plain'],
    ['a reference', { Ref: 'Table' }, 'ref(Table)'],
    ['an attribute as a list', { 'Fn::GetAtt': ['Table', 'Arn'] }, 'Table/Arn'],
    ['an attribute as text', { 'Fn::GetAtt': 'Nested.Outputs.Name' }, 'Nested/Outputs.Name'],
    ['a join of resolved parts', { 'Fn::Join': [':', ['arn', { Ref: 'AWS::Region' }, 7]] }, 'arn:ref(AWS::Region):7'],
    ['a substitution', { 'Fn::Sub': '${Table}-${Table.Arn}-${!Literal}' }, 'ref(Table)-Table/Arn-${Literal}'],
    ['a substitution with variables', { 'Fn::Sub': ['${A}/${B}', { A: { Ref: 'X' } }] }, 'ref(X)/ref(B)'],
    ['a selection', { 'Fn::Select': [1, ['a', 'b']] }, 'b'],
    ['a selection by text', { 'Fn::Select': ['0', { 'Fn::Split': ['/', 'a/b'] }] }, 'a'],
    ['an import', { 'Fn::ImportValue': { 'Fn::Sub': 'Stack:${Name}' } }, 'exported(Stack:ref(Name))'],
    [
      "another stack's output",
      { 'Fn::GetStackOutput': { StackName: 'Data', Region: { Ref: 'AWS::Region' }, OutputName: 'Name' } },
      'Data>Name',
    ],
    ['the first branch of a condition that holds', { 'Fn::If': ['Yes', 1, 2] }, 1],
    ['the second branch of one that does not', { 'Fn::If': ['No', 1, 2] }, 2],
    ['a condition', { 'Fn::And': [{ Condition: 'Yes' }, { 'Fn::Not': [{ 'Fn::Equals': ['a', 'b'] }] }] }, true],
    ['a map', { 'Fn::FindInMap': ['Map', { Ref: 'R' }, 'k'] }, 'Map:ref(R):k'],
  ])('a function of CloudFormation becomes its value: %s', (_name, value, expected) => {
    expect(resolve(value, scope)).toEqual(expected)
  })

  it('resolving a template leaves out entries and properties without a value', () => {
    const value = { kept: 1, gone: { Ref: 'AWS::NoValue' }, list: ['a', { Ref: 'AWS::NoValue' }] }

    expect(resolve(value, scope)).toEqual({ kept: 1, list: ['a'] })
  })

  it('resolving a template resolves functions deep inside objects and lists', () => {
    expect(resolve({ a: [{ b: { Ref: 'X' } }] }, scope)).toEqual({ a: [{ b: 'ref(X)' }] })
  })

  it('resolving a template names an unsupported function', () => {
    expect(() => resolve({ 'Fn::Transform': {} }, scope)).toThrow('Fn::Transform')
  })
})
