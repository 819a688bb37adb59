// What an editor shows: every public member has a summary of its own words, and every parameter a text.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;
using System.Xml;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class DocumentationTests {
  private const BindingFlags Own = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

  private static string Name(Type t) {
    if (t.IsByRef) return Name(t.GetElementType()) + "@";
    if (t.IsArray) return Name(t.GetElementType()) + (t.GetArrayRank() == 1 ? "[]" : "[" + string.Join(",", Enumerable.Repeat("0:", t.GetArrayRank())) + "]");
    if (t.IsPointer) return Name(t.GetElementType()) + "*";
    if (t.IsGenericParameter) return (t.DeclaringMethod != null ? "``" : "`") + t.GenericParameterPosition;
    if (!t.IsGenericType || t.IsGenericTypeDefinition) return t.FullName.Replace('+', '.');
    string head = t.GetGenericTypeDefinition().FullName.Replace('+', '.');
    return head.Substring(0, head.IndexOf('`')) + "{" + string.Join(",", t.GetGenericArguments().Select(Name)) + "}";
  }
  private static string Id(MemberInfo m) {
    string owner = m.DeclaringType == null ? "" : Name(m.DeclaringType);
    var method = m as MethodBase;
    if (method == null) return (m is Type ? "T:" + Name((Type)m) : (m is FieldInfo ? "F:" : m is EventInfo ? "E:" : "P:") + owner + "." + m.Name) + Parameters(m);
    string generic = method.IsGenericMethod ? "``" + method.GetGenericArguments().Length : "";
    string answer = m.Name == "op_Implicit" || m.Name == "op_Explicit" ? "~" + Name(((MethodInfo)m).ReturnType) : "";
    return "M:" + owner + "." + m.Name.Replace(".ctor", "#ctor") + generic + Parameters(m) + answer;
  }
  private static ParameterInfo[] Taken(MemberInfo m) {
    var property = m as PropertyInfo;
    return m is MethodBase ? ((MethodBase)m).GetParameters() : property != null ? property.GetIndexParameters() : new ParameterInfo[0];
  }
  // Also those of a delegate, which its id does not name.
  private static ParameterInfo[] ToDescribe(MemberInfo m) {
    var type = m as Type;
    return Taken(type != null && type.IsSubclassOf(typeof(Delegate)) ? type.GetMethod("Invoke") : m);
  }
  private static string Parameters(MemberInfo m) {
    ParameterInfo[] all = Taken(m);
    return all.Length == 0 ? "" : "(" + string.Join(",", all.Select(p => Name(p.ParameterType))) + ")";
  }
  private static bool Visible(MethodBase m) { return m != null && (m.IsPublic || m.IsFamily || m.IsFamilyOrAssembly); }
  private static bool Visible(MemberInfo m) {
    var property = m as PropertyInfo;
    var field = m as FieldInfo;
    if (m.GetCustomAttributes(typeof(System.Runtime.CompilerServices.CompilerGeneratedAttribute), false).Length != 0) return false;
    if (m is MethodBase) return Visible((MethodBase)m) && (!((MethodBase)m).IsSpecialName || m.Name.StartsWith("op_", StringComparison.Ordinal) || m is ConstructorInfo);
    if (property != null) return property.GetAccessors(true).Any(Visible);
    return field != null && (field.IsPublic || field.IsFamily) && !field.IsSpecialName;
  }
  // AddScalar: "add scalar", which a text must not merely repeat.
  private static string Words(string text) { return new string(text.ToLowerInvariant().Where(char.IsLetterOrDigit).ToArray()); }

  private static XmlDocument Xml() {
    var file = new XmlDocument();
    file.Load(Path.ChangeExtension(typeof(Tensor).Assembly.Location, ".xml"));
    return file;
  }

  // Text that speaks C, C++ or SWIG, which made it; names in quotes are what a function answers.
  private static readonly Regex foreign = new Regex(@"std::|haft::|\bhaft_\w|(?<!environment variable\s+)\bHAFT_\w|(?i:swig)|C\+\+|nullptr|\bNULL\b|\bu?int\d+_t\b|\bsize_t\b|[Pp]roxy itself");

  [Test]
  public void NothingSpeaksAnotherLanguage() {
    StringAssert.IsMatch(foreign.ToString(), "for (std::vector<haft::Tensor> b; loader.next(b);)");
    var wrong = new List<string>();
    int members = 0;
    foreach (XmlElement e in Xml().SelectNodes("/doc/members/member")) {
      ++members;
      string name = e.GetAttribute("name");
      if (foreign.IsMatch(name) || foreign.IsMatch(Regex.Replace(e.InnerText, "\"[^\"]*\"", "\"\""))) wrong.Add(name + ": " + e.InnerText.Trim());
    }
    Assert.IsEmpty(wrong, string.Join("\n", wrong));
    Assert.Greater(members, 1000);
    // Nor do the members that a class outside may see.
    foreach (Type type in typeof(Tensor).Assembly.GetExportedTypes())
      foreach (MemberInfo m in new MemberInfo[] { type }.Concat(type.GetMembers(Own).Where(m => !(m is Type) && Visible(m)))) StringAssert.DoesNotMatch("(?i:swig)|_p_", m.Name);
  }

  // What answers null by its text says so to compilers that know nullable types (from C# 8).
  [Test]
  public void WhatMayBeNullIsMarked() {
    var texts = Xml().SelectNodes("/doc/members/member").Cast<XmlElement>().GroupBy(e => e.GetAttribute("name")).ToDictionary(g => g.Key, g => g.First());
    var wrong = new List<string>();
    int marked = 0;
    foreach (Type type in typeof(Tensor).Assembly.GetExportedTypes().Where(t => !t.IsEnum && !typeof(Delegate).IsAssignableFrom(t)))
      foreach (MemberInfo m in type.GetMembers(Own).Where(m => !(m is Type) && Visible(m))) {
        var method = m as MethodInfo;
        var property = m as PropertyInfo;
        Type answer = method != null ? method.ReturnType : property != null ? property.PropertyType : typeof(void);
        XmlElement text;
        if (answer.IsValueType || answer.IsArray || !texts.TryGetValue(Id(m), out text)) continue;
        string said = (text["summary"] == null ? "" : text["summary"].InnerText) + (text["returns"] == null ? "" : text["returns"].InnerText);
        bool maybe = Regex.IsMatch(said, "\\bnull( when|:| for)");
        bool told = (method != null ? method.ReturnParameter.GetCustomAttributesData() : m.GetCustomAttributesData()).Any(a => a.AttributeType.Name == "MaybeNullAttribute");
        if (maybe != told) wrong.Add(Id(m) + ": " + said);
        if (told) ++marked;
      }
    Assert.IsEmpty(wrong, string.Join("\n", wrong));
    Assert.GreaterOrEqual(marked, 6);
  }

  [Test]
  public void EveryMemberAndParameterIsDescribed() {
    XmlDocument file = Xml();
    var texts = new Dictionary<string, XmlElement>();
    foreach (XmlElement e in file.SelectNodes("/doc/members/member")) texts[e.GetAttribute("name")] = e;
    var wrong = new List<string>();
    int members = 0, parameters = 0;
    foreach (Type type in typeof(Tensor).Assembly.GetExportedTypes()) {
      bool called = typeof(Delegate).IsAssignableFrom(type);
      foreach (MemberInfo m in new MemberInfo[] { type }.Concat(called || type.IsEnum ? new MemberInfo[0] : type.GetMembers(Own).Where(m => !(m is Type) && Visible(m)))) {
        string id = Id(m);
        // The constructor of a struct or of a class without one written down, and what an interface or base class describes.
        if (m is ConstructorInfo && Taken(m).Length == 0 && !texts.ContainsKey(id)) continue;
        XmlElement e;
        ++members;
        if (!texts.TryGetValue(id, out e)) {
          wrong.Add(id + ": no documentation");
          continue;
        }
        if (e["inheritdoc"] != null) continue;
        string summary = e["summary"] == null ? "" : e["summary"].InnerText.Trim();
        if (summary.Length == 0) wrong.Add(id + ": no summary");
        else if (Words(summary) == Words(m.Name) && !summary.Contains(" ")) wrong.Add(id + ": \"" + summary + "\" repeats the name");
        var described = e.GetElementsByTagName("param").Cast<XmlElement>().Where(p => p.InnerText.Trim().Length != 0).Select(p => p.GetAttribute("name")).ToList();
        foreach (ParameterInfo p in ToDescribe(m)) {
          ++parameters;
          if (!described.Contains(p.Name)) wrong.Add(id + ": no text for " + p.Name);
        }
        foreach (string p in described)
          if (ToDescribe(m).All(taken => taken.Name != p)) wrong.Add(id + ": has no parameter " + p);
      }
    }
    Assert.IsEmpty(wrong, string.Join("\n", wrong));
    Assert.Greater(members, 1000);
    Assert.Greater(parameters, 1500);
  }
}
}
